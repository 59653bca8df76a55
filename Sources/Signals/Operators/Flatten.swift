extension Signal {
  /// Merges the inner signals, and subscribes only a limited number of them at the same time.
  ///
  /// The others wait, and are subscribed in the order in which they arrived. It completes when this
  /// signal and all inner signals have completed; the first failure ends all.
  ///
  /// ```text
  /// source:  a-b|
  /// other:   x-y|
  /// result:  x-yx-y|
  /// source.map { _ in other }.flatten(maxConcurrent: 1)
  /// ```
  ///
  /// - Parameter maxConcurrent: The number of inner signals that may be subscribed at the same
  ///   time, at least 1; all by default.
  /// - Returns: A signal of all values in the order in which they are sent.
  @inlinable
  public func flatten<Inner: Sendable>(maxConcurrent: Int = .max) -> Signal<Inner, Failure>
  where Value == Signal<Inner, Failure> {
    precondition(maxConcurrent >= 1, "flatten(maxConcurrent:) must be able to subscribe a signal")
    return Signal<Inner, Failure>(attaching: { observer, subscription in
      let line = WaitingLine(limit: maxConcurrent, to: observer, subscription)
      self.attach(
        Observer(next: { line.arrive($0) }, end: { line.sink.end($0) }), into: line.sink.join)
    })
  }
}

/// Inner signals, of which the surplus waits until others have completed.
@usableFromInline
final class WaitingLine<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline
  struct State: Sendable {
    @usableFromInline var running = 0
    @usableFromInline var waiting = FIFOQueue<Signal<Value, Failure>>()

    @inlinable
    init() {}
  }

  @usableFromInline let sink: MergeSink<Value, Failure>
  @usableFromInline let limit: Int
  @usableFromInline let state = Lock(State())
  @usableFromInline let trampoline = Trampoline()
  @usableFromInline let subscription: CompositeDisposable

  @inlinable
  init(limit: Int, to observer: Observer<Value, Failure>, _ subscription: CompositeDisposable) {
    self.limit = limit
    self.subscription = subscription
    sink = MergeSink(active: 1, to: observer, subscription)
  }

  @inlinable
  func arrive(_ signal: Signal<Value, Failure>) {
    sink.enter()
    let mayStart = state.withLock { state in
      guard state.running < limit, state.waiting.isEmpty else {
        state.waiting.append(signal)
        return false
      }
      state.running += 1
      return true
    }
    if mayStart { start(signal) }
  }

  /// Subscribes the next signal, if one is waiting and the limit allows it.
  @inlinable
  func startNext() {
    let next: Signal<Value, Failure>? = state.withLock { state in
      guard state.running < limit, let next = state.waiting.popFirst() else { return nil }
      state.running += 1
      return next
    }
    if let next { start(next) }
  }

  @inlinable
  func start(_ next: Signal<Value, Failure>) {
    let running = CompositeDisposable()
    subscription.add(running)
    if running.isDisposed { return }
    next.attach(
      Observer(
        next: { self.sink.join.submit(.next($0)) },
        end: { end in
          if self.sink.end(end) { return self.sink.join.cleanUp(running) }
          self.subscription.remove(running)
          running.dispose()
          self.state.withLock { $0.running -= 1 }
          self.trampoline.bounce(self.startNext)
        }
      ),
      running
    )
  }
}
