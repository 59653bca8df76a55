extension Signal {
  /// Collects values for a timespan, and sends them together.
  ///
  /// The timespan begins with the first value of each array, so no array is empty. When the signal
  /// completes, the values collected so far are sent immediately; when it fails, they are dropped.
  ///
  /// ```text
  /// source:  ab---c----
  /// result:  ---2----1
  /// source.buffer(for: .seconds(3), on: scheduler).map(\.count)
  /// ```
  ///
  /// - Parameters:
  ///   - time: The length of the timespan.
  ///   - scheduler: The scheduler that measures the time, and on which arrays are sent.
  /// - Returns: A signal with the same end.
  public func buffer(
    for time: Duration,
    on scheduler: some Scheduler
  ) -> Signal<[Value], Failure> {
    Signal<[Value], Failure>(attaching: { observer, subscription in
      let join = SerialJoin(Collecting<Value, Failure>(), to: observer, subscription)
      self.attach(into: join, gatheringFor: time, on: scheduler)
    })
  }
}

/// Collects values until the end of a timespan that begins with the first of them.
private struct Collecting<Value: Sendable, Failure: Error>: JoinLogic {
  var collected: [Value] = []

  mutating func receive(
    _ input: TimespanInput<Value, Failure>,
    _ observer: Observer<[Value], Failure>
  ) -> End<Failure>? {
    switch input {
    case .value(let value, let beginTime):
      collected.append(value)
      if collected.count == 1 { beginTime() }
    case .timeIsOver:
      observer.onNext(take())
    case .end(let end):
      if end.isCompleted, !collected.isEmpty { observer.onNext(take()) }
      return end
    }
    return nil
  }

  private mutating func take() -> [Value] {
    defer { collected = [] }
    return collected
  }
}
