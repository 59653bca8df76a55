/// The events of a signal that wait for the one task that reads them.
///
/// Events are passed between threads inside the lock; the continuation only wakes the task.
final class Mailbox<Value: Sendable, Failure: Error>: Sendable {
  private struct State {
    var values = FIFOQueue<Value>()
    var end: End<Failure>?
    var waiting: CheckedContinuation<Void, Never>?
  }

  /// The values to keep when they arrive faster than they are read.
  typealias Policy = AsyncStream<Value>.Continuation.BufferingPolicy

  private let state = Lock(State())
  private let policy: Policy

  init(policy: Policy = .unbounded) {
    self.policy = policy
  }

  /// Subscribes a signal, whose events then arrive here; the release of its source counts as its
  /// end.
  func receive(_ signal: Signal<Value, Failure>, until subscription: CompositeDisposable) {
    signal.attach(Observer(next: { self.put($0) }, end: { self.finish($0) }), until: subscription) {
      self.finish(.completed)
    }
  }

  /// Adds a value; ignored after the end.
  func put(_ value: Value) {
    // Released after the lock, like every value.
    var dropped: Value?
    wake { state in
      if state.end == nil { dropped = state.values.append(value, policy) }
    }
    _ = dropped
  }

  /// Adds the end; only the first one counts.
  func finish(_ end: End<Failure>) {
    wake { state in
      state.end = state.end ?? end
    }
  }

  /// Discards all waiting events, and completes for the reader.
  func cancel() {
    // Swapped, and released after the lock: the deinit of a value may send to this mailbox.
    var discarded = FIFOQueue<Value>()
    var end: End<Failure>? = .completed
    wake { state in
      swap(&state.values, &discarded)
      swap(&state.end, &end)
    }
  }

  /// Waits for the next event.
  ///
  /// - Returns: A value or the end; after the end, always `completed`.
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

  /// Removes and returns the next event, if there is one.
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

extension FIFOQueue where Element: Sendable {
  /// Appends an element if a policy allows it.
  ///
  /// - Returns: The element that was discarded, if any: the new one or the oldest.
  fileprivate mutating func append(
    _ element: Element, _ policy: AsyncStream<Element>.Continuation.BufferingPolicy
  ) -> Element? {
    switch policy {
    case .bufferingOldest(let limit):
      if count >= limit { return element }
    case .bufferingNewest(let limit):
      if limit <= 0 { return element }
      if count >= limit {
        append(element)
        return popFirst()
      }
    case .unbounded: break
    @unknown default: break
    }
    append(element)
    return nil
  }
}
