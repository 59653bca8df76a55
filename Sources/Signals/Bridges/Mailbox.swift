internal import Locks

/// Where the events of a signal wait for the one task that reads them.
///
/// They cross from thread to thread inside the lock; the continuation only wakes the task.
final class Mailbox<Value: Sendable, Failure: Error>: Sendable {
  private struct State {
    var values = FirstInFirstOut<Value>()
    var end: End<Failure>?
    var waiting: CheckedContinuation<Void, Never>?
  }

  private let state = Lock(State())

  /// What a signal is subscribed with, so that its events arrive here.
  var observer: Observer<Value, Failure> {
    Observer(next: { self.put($0) }, end: { self.finish($0) })
  }

  /// Puts a value in; ignored after the end.
  func put(_ value: Value) {
    wake { state in
      if state.end == nil { state.values.append(value) }
    }
  }

  /// Puts the end in; only the first counts.
  func finish(_ end: End<Failure>) {
    wake { state in
      state.end = state.end ?? end
    }
  }

  /// Throws away what waits, and lets the reader see a regular end.
  func cancel() {
    wake { state in
      state.values = FirstInFirstOut()
      state.end = .completed
    }
  }

  /// Waits for the next event.
  ///
  /// - Returns: A value or the end; after the end `completed`, each time.
  func next() async -> Event<Value, Failure> {
    while true {
      if let event = take() { return event }
      await withCheckedContinuation { continuation in
        let hasCome = state.withLock { state in
          if !state.values.isEmpty || state.end != nil { return true }
          state.waiting = continuation
          return false
        }
        if hasCome { continuation.resume() }
      }
    }
  }

  /// Takes the next event if there is one.
  func take() -> Event<Value, Failure>? {
    state.withLock { state in
      if let value = state.values.popFirst() { return .next(value) }
      guard let end = state.end else { return nil }
      state.end = .completed
      return end.event()
    }
  }

  private func wake(_ change: (inout State) -> Void) {
    let waiting: CheckedContinuation<Void, Never>? = state.withLock { state in
      change(&state)
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume()
  }
}
