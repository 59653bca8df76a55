import Foundation
import Signals
import TestSupport
import Testing

/// Sign-ups that several clients send at the same time, until it is ended.
///
/// Each client has a thread of its own, and sends one sign-up after the other on one connection; a
/// client whose service ends is done.
final class SignUpLoad: Sendable {
  private struct State {
    var acknowledged: [String] = []
    var statuses: Set<Int> = []
    var isEnding = false
    var runningCount: Int
  }

  /// How many sign-ups a client sends at most, so that the status log keeps all of them.
  private static let maximumCount = 800

  private let state: Lock<State>
  private let address: @Sendable (_ client: Int, _ post: Int) -> String

  /// Begins to send, with a number of clients of each service; all addresses differ unless they are
  /// given.
  init(
    on services: [Enlist], clients: Int = 2,
    address: @escaping @Sendable (_ client: Int, _ post: Int) -> String = {
      "a\($0)-\($1)@example.com"
    }
  ) {
    self.address = address
    let count = services.count * clients
    state = Lock(State(runningCount: count))
    for number in 0..<count {
      let port = services[number % services.count].port
      Thread { self.send(to: port, client: number) }.start()
    }
  }

  private func send(to port: UInt16, client number: Int) {
    defer { state.withLock { $0.runningCount -= 1 } }
    var open: Client?
    for post in 0..<Self.maximumCount {
      if state.withLock({ $0.isEnding }) { return }
      let address = address(number, post)
      guard let client = open ?? (try? Client(port: port)) else { return }
      open = client
      guard let status = try? signUp(address, on: client) else {
        open = nil
        continue
      }
      state.withLock { state in
        state.statuses.insert(status)
        if status == 202 { state.acknowledged.append(address) }
      }
      pause(.milliseconds(15))
    }
  }

  private func signUp(_ address: String, on client: Client) throws -> Int {
    try client.sendSignUp(of: address)
    return try client.readResponse(within: .seconds(60)).status
  }

  /// The status codes of all responses so far.
  var statuses: Set<Int> { state.withLock { $0.statuses } }

  /// Waits until a number of further sign-ups are acknowledged.
  func waitForMore(_ count: Int) throws {
    let target = state.withLock { $0.acknowledged.count } + count
    try eventually("\(target) sign-ups after \(statuses)", within: .seconds(60)) {
      state.withLock { $0.acknowledged.count } >= target
    }
  }

  /// Ends the load, and expects that no response had another status code.
  ///
  /// - Returns: The addresses whose sign-up was acknowledged.
  func end(
    expecting expected: Set<Int> = [202, 503], sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [String] {
    state.withLock { $0.isEnding = true }
    try eventually("the end of all clients", within: .seconds(60)) {
      state.withLock { $0.runningCount } == 0
    }
    let (acknowledged, statuses) = state.withLock { ($0.acknowledged, $0.statuses) }
    #expect(statuses.isSubset(of: expected), sourceLocation: sourceLocation)
    return acknowledged
  }
}
