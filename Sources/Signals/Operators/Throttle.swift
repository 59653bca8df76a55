extension Signal {
  /// Sends a value immediately, and then at most one in each interval: the last one that arrived in
  /// it.
  ///
  /// When the signal completes, a pending value is sent immediately; when it fails, the value is
  /// dropped. A throttled button, which reacts to the first touch and not to the others, leaves out
  /// the last value: `latest: false`. The operator that ReactiveObjC calls `throttle:` is ``debounce(for:on:)``.
  ///
  /// ```text
  /// source:  abc----d|
  /// result:  a--c---d|
  /// source.throttle(for: .seconds(3), on: scheduler)
  /// ```
  ///
  /// ```text
  /// source:  abc----d|
  /// result:  a------d|
  /// source.throttle(for: .seconds(3), latest: false, on: scheduler)
  /// ```
  ///
  /// - Parameters:
  ///   - interval: The time after a value in which no other is sent.
  ///   - latest: Whether the last value that arrived in an interval is sent at its end; otherwise
  ///     all of them are left out.
  ///   - scheduler: The scheduler that measures the time, and on which values that had to wait are
  ///     sent.
  /// - Returns: A signal with the same end.
  public func throttle(
    for interval: Duration, latest: Bool = true, on scheduler: some Scheduler
  ) -> Signal {
    Signal(attaching: { observer, subscription in
      let join = SerialJoin(
        OncePerInterval<Value, Failure>(sendsLatest: latest), to: observer, subscription)
      // Passed with each input: the logic cannot hold the join, which holds the logic.
      @Sendable func beginStretch() {
        subscription.schedule(after: interval, on: scheduler) {
          join.submit(.stretchIsOver(beginAnother: beginStretch))
        }
      }
      self.attach(
        Observer(
          next: { join.submit(.value($0, beginStretch: beginStretch)) },
          end: { join.submit(.end($0)) }), into: join)
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

  let sendsLatest: Bool
  var isInStretch = false
  var waiting: Value?

  mutating func receive(_ input: Input, _ observer: Observer<Value, Failure>) -> End<Failure>? {
    switch input {
    case .value(let value, _) where isInStretch:
      if sendsLatest { waiting = value }
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
