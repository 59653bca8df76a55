import Signals

/// A recorder of the values of a signal, which a test can read at any time.
final class Recorded<Value: Sendable>: Sendable {
  private struct State {
    var values: [Value] = []
    var hasEnded = false
  }

  private let state = Lock(State())

  init<Failure>(_ signal: Signal<Value, Failure>) {
    signal.subscribe(
      next: { value in self.state.withLock { $0.values.append(value) } },
      failed: { _ in self.state.withLock { $0.hasEnded = true } },
      completed: { self.state.withLock { $0.hasEnded = true } })
  }

  var values: [Value] { state.withLock { $0.values } }

  var hasEnded: Bool { state.withLock { $0.hasEnded } }
}
