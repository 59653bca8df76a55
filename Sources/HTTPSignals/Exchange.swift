internal import Synchronization

/// One request and its single answer.
///
/// It may be answered from any thread, now or later; the first answer counts. An exchange that is
/// let go of without one is answered with 500, so that no client waits for ever.
package final class Exchange: Sendable {
  /// What was asked.
  package let request: Request

  private let policy: any ResponsePolicy
  private let send: @Sendable (Response) -> Void
  private let hasResponded = Atomic(false)

  /// Makes an exchange; the bridge does, and tests.
  ///
  /// - Parameters:
  ///   - request: What was asked.
  ///   - policy: What is the same in all answers.
  ///   - send: Takes the answer to the client; called exactly once, on the thread that answers.
  package init(
    _ request: Request,
    policy: any ResponsePolicy = DefaultResponsePolicy.shared,
    send: @escaping @Sendable (Response) -> Void
  ) {
    self.request = request
    self.policy = policy
    self.send = send
  }

  deinit {
    if !hasResponded.load(ordering: .acquiring) {
      send(policy.finishedResponse(for: .internalError, to: request))
    }
  }

  /// Answers the request.
  ///
  /// - Parameter response: The answer.
  /// - Returns: Whether it was the first; a later one is dropped.
  @discardableResult
  package func respond(_ response: consuming Response) -> Bool {
    guard takeTurn() else { return false }
    // Consumed, so that its fields are nobody else's and are not copied to add one.
    policy.finish(&response, to: request)
    send(response)
    return true
  }

  /// Answers the request with problem details.
  ///
  /// - Parameter problem: What is wrong.
  /// - Returns: Whether it was the first answer.
  @discardableResult
  package func respond(_ problem: ProblemDetails) -> Bool {
    guard takeTurn() else { return false }
    send(policy.finishedResponse(for: problem, to: request))
    return true
  }

  private func takeTurn() -> Bool {
    !hasResponded.exchange(true, ordering: .acquiringAndReleasing)
  }
}
