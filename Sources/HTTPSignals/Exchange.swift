internal import Synchronization

/// One request and its single answer.
///
/// It may be answered from any thread, now or later; the first answer counts. An exchange that is
/// let go of without one is answered with 500, so that no client waits for ever.
package final class Exchange: Sendable {
  /// What was asked.
  package let request: Request

  private let send: @Sendable (Response) -> Void
  private let isAnswered = Atomic(false)

  /// Makes an exchange; the bridge does, and tests.
  ///
  /// - Parameters:
  ///   - request: What was asked.
  ///   - send: Takes the answer to the client; called exactly once, on the thread that answers.
  package init(_ request: Request, send: @escaping @Sendable (Response) -> Void) {
    self.request = request
    self.send = send
  }

  deinit {
    if !isAnswered.load(ordering: .acquiring) {
      send(ProblemDetails.unanswered.response)
    }
  }

  /// Answers the request.
  ///
  /// - Parameter response: The answer.
  /// - Returns: Whether it was the first; a later one is dropped.
  @discardableResult
  package func respond(_ response: Response) -> Bool {
    guard !isAnswered.exchange(true, ordering: .acquiringAndReleasing) else { return false }
    send(response)
    return true
  }

  /// Answers the request with problem details.
  ///
  /// - Parameter problem: What is wrong.
  /// - Returns: Whether it was the first answer.
  @discardableResult
  package func respond(_ problem: ProblemDetails) -> Bool {
    var problem = problem
    if Self.isPlain(request.path) { problem.instance = request.path }
    return respond(problem.response)
  }

  /// Whether a path is made of slashes and unreserved characters (RFC 3986 §2.3) only; another one
  /// is not repeated to anybody, since it may hold an address.
  private static func isPlain(_ path: String) -> Bool {
    path.utf8.first == UInt8(ascii: "/")
      && path.utf8.allSatisfy { octet in
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"),
          UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
          true
        default: false
        }
      }
  }
}
