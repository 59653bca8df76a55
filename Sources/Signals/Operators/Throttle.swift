extension Signal {
  /// Sends a value immediately, and then at most one in each interval: the last one that arrived in
  /// it.
  ///
  /// When the signal completes, a pending value is sent immediately; when it fails, the value is
  /// dropped. The operator that ReactiveObjC calls `throttle:` is ``debounce(for:on:)``.
  ///
  /// ```text
  /// source:  abc----d|
  /// result:  a--c---d|
  /// source.throttle(for: .seconds(3), on: scheduler)
  /// ```
  ///
  /// - Parameters:
  ///   - interval: The time after a value in which no other is sent.
  ///   - scheduler: The scheduler that measures the time, and on which values that had to wait are
  ///     sent.
  /// - Returns: A signal with the same end.
  public func throttle(for interval: Duration, on scheduler: some Scheduler) -> Signal {
    Signal(attaching: { observer, subscription in
      let join = SerialJoin(
        OncePerInterval<Value, Failure>(),
        to: observer,
        subscription
      )
      // Passed with each input: the logic cannot hold the join, which holds the logic.
      @Sendable func beginStretch() {
        subscription.schedule(after: interval, on: scheduler) {
          join.submit(.stretchIsOver(beginAnother: beginStretch))
        }
      }
      self.attach(
        Observer(
          next: { join.submit(.value($0, beginStretch: beginStretch)) },
          end: { join.submit(.end($0)) }
        ),
        into: join
      )
    })
  }
}

/// Lets one value through in each interval.
private struct OncePerInterval<Value: Sendable, Failure: Error>: JoinLogic {
  enum Input: Sendable {
    case value(Value, beginStretch: @Sendable () -> Void)
    case stretchIsOver(beginAnother: @Sendable () -> Void)
    case end(End<Failure>)
  }

  var isInStretch = false
  var waiting: Value?

  mutating func receive(_ input: Input, _ observer: Observer<Value, Failure>) -> End<Failure>? {
    switch input {
    case .value(let value, _) where isInStretch:
      waiting = value
    case .value(let value, let beginStretch):
      isInStretch = true
      beginStretch()
      observer.onNext(value)
    case .stretchIsOver(let beginAnother):
      isInStretch = false
      guard let value = waiting else { return nil }
      waiting = nil
      isInStretch = true
      beginAnother()
      observer.onNext(value)
    case .end(let end):
      if end.isCompleted, let waiting { observer.onNext(waiting) }
      return end
    }
    return nil
  }
}
