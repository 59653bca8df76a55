internal import Dispatch
package import Signals
internal import Testing

extension Signal {
  /// Makes a signal that subscribes to this one, waits for its end, and then sends everything on
  /// the thread of its own subscriber.
  ///
  /// A test of code that waits for another thread thereby becomes deterministic.
  package func blocking() -> Signal<Value, Failure> {
    Signal { observer in
      guard let (values, end) = self.received() else { return nil }
      for value in values { observer.send(value) }
      switch end {
      case .completed: observer.complete()
      case .failed(let error): observer.fail(error)
      }
      return nil
    }
  }

  /// Subscribes, waits for the end, and returns the last value.
  package func blockingLast() -> Value? { received()?.values.last }

  private func received() -> (values: [Value], end: End<Failure>)? {
    let received = Received<Value, Failure>()
    subscribe(
      next: { received.add($0) }, failed: { received.end(.failed($0)) },
      completed: { received.end(.completed) })
    let all = received.wait()
    if all == nil { Issue.record("the store does not respond") }
    return all
  }
}

/// What a signal has sent.
private final class Received<Value: Sendable, Failure: Error>: Sendable {
  private struct State {
    var values: [Value] = []
    var end: End<Failure>?
  }

  private let state = Lock(State())
  private let isOver = DispatchSemaphore(value: 0)

  func add(_ value: Value) {
    state.withLock { $0.values.append(value) }
  }

  func end(_ end: End<Failure>) {
    state.withLock { $0.end = end }
    isOver.signal()
  }

  /// Waits for the end, for at most a minute.
  func wait() -> (values: [Value], end: End<Failure>)? {
    guard isOver.wait(timeout: .now() + 60) == .success else { return nil }
    return state.withLock { state in state.end.map { (state.values, $0) } }
  }
}
