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
  public func buffer(for time: Duration, on scheduler: some Scheduler) -> Signal<[Value], Failure> {
    buffer(for: time, count: .max, on: scheduler)
  }

  /// Collects values for a timespan, or until there are as many as wanted, and sends them together.
  ///
  /// The timespan begins with the first value of each array, so no array is empty. When the signal
  /// completes, the values collected so far are sent immediately; when it fails, they are dropped.
  ///
  /// ```text
  /// source:  ab-c---d----
  /// result:  -2----1---1
  /// source.buffer(for: .seconds(3), count: 2, on: scheduler).map(\.count)
  /// ```
  ///
  /// - Parameters:
  ///   - time: The length of the timespan.
  ///   - count: The number of values in an array, at least 1; it is sent at once when it has them.
  ///   - scheduler: The scheduler that measures the time, and on which other arrays are sent.
  /// - Returns: A signal with the same end.
  public func buffer(
    for time: Duration, count: Int, on scheduler: some Scheduler
  ) -> Signal<[Value], Failure> {
    precondition(count >= 1, "buffer(for:count:on:) is \(count): it must be at least 1")
    return Signal<[Value], Failure>(attaching: { observer, subscription in
      let join = SerialJoin(Collecting<Value, Failure>(limit: count), to: observer, subscription)
      self.attach(into: join, gatheringFor: time, on: scheduler)
    })
  }
}

/// Collects values until the end of a timespan that begins with the first of them, or until there
/// are enough.
private struct Collecting<Value: Sendable, Failure: Error>: JoinLogic {
  let limit: Int
  var collected: [Value] = []
  var time: (any Disposable)?
  /// The number of arrays that have been sent: the end of the timespan of an earlier one is ignored.
  var sentCount = 0

  mutating func receive(
    _ input: TimespanInput<Value, Failure>, _ observer: Observer<[Value], Failure>
  ) -> End<Failure>? {
    switch input {
    case .value(let value, let beginTime):
      collected.append(value)
      if collected.count == limit {
        time?.dispose()
        observer.onNext(take())
      } else if collected.count == 1 {
        time = beginTime(sentCount)
      }
    case .timeIsOver(let number):
      if number == sentCount { observer.onNext(take()) }
    case .end(let end):
      if end.isCompleted, !collected.isEmpty { observer.onNext(take()) }
      return end
    }
    return nil
  }

  private mutating func take() -> [Value] {
    sentCount += 1
    defer { collected = [] }
    return collected
  }
}
