internal import Signals
package import Testing

/// A trait of suites and tests that expect something within seconds, or keep both processors busy.
///
/// Two of them never run at the same time in a process. Tests without the trait still run next to
/// them, so `Scripts/test --all` runs suites that have it in a run of their own, test by test.
package struct AloneTrait: SuiteTrait, TestTrait, TestScoping {
  private static let turn = Turn()
  /// Whether the trait of a surrounding suite has the turn.
  @TaskLocal private static var hasTurn = false

  /// Returns the trait for a suite or a test function, but not for its cases: the time limit of a
  /// case includes the time in its scopes.
  package func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
    testCase == nil ? self : nil
  }

  /// Runs a suite or a test when no other one with the trait is running.
  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard !Self.hasTurn else { return try await function() }
    await Self.turn.take()
    defer { Self.turn.pass() }
    try await Self.$hasTurn.withValue(true) { try await function() }
  }
}

extension Trait where Self == AloneTrait {
  /// The suite or test needs the machine alone: it runs at another time than others with the trait.
  package static var alone: Self { Self() }
}

/// A lock of the process; a task that waits for it blocks no thread.
private final class Turn: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Lock(State())

  /// Waits for the turn.
  func take() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.isTaken else {
          state.isTaken = true
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  /// Passes the turn to the task that has waited the longest.
  func pass() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard !state.waiting.isEmpty else {
        state.isTaken = false
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}
