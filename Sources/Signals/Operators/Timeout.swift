extension Signal {
  /// Fails when the signal has not ended within a time limit.
  ///
  /// Values do not extend the limit, which runs from subscribing to the end.
  ///
  /// ```text
  /// source:  a-a-a-|
  /// result:  a-a#
  /// source.timeout(after: .seconds(3), on: scheduler, with: MarbleError())
  /// ```
  ///
  /// - Parameters:
  ///   - limit: The time limit.
  ///   - scheduler: The scheduler that measures the time, and on which the failure is sent.
  ///   - error: The error to fail with.
  /// - Returns: A signal that ends within the limit; a source that does not is disposed.
  public func timeout(
    after limit: Duration, on scheduler: some Scheduler, with error: Failure
  ) -> Signal {
    Signal(attaching: { observer, subscription in
      let join = SerialJoin(Merging<Value, Failure>(), to: observer, subscription)
      subscription.schedule(after: limit, on: scheduler) { join.submit(.failed(error)) }
      self.attach(
        Observer(next: { join.submit(.next($0)) }, end: { join.submit($0.event()) }), into: join)
    })
  }

  /// Fails when no value has arrived for a time: since subscribing, or since the previous value.
  ///
  /// ```text
  /// source:  -a--a-----a|
  /// result:  -a--a---#
  /// source.timeout(between: .seconds(4), on: scheduler, with: MarbleError())
  /// ```
  ///
  /// - Parameters:
  ///   - limit: The longest time without a value.
  ///   - scheduler: The scheduler that measures the time, and on which the failure is sent.
  ///   - error: The error to fail with.
  /// - Returns: A signal with the same values; a source that is late is disposed.
  public func timeout(
    between limit: Duration, on scheduler: some Scheduler, with error: Failure
  ) -> Signal {
    Signal(attaching: { observer, subscription in
      let join = SerialJoin(Expiring<Value, Failure>(), to: observer, subscription)
      let timer = SerialDisposable()
      subscription.add(timer)
      let count = Box(0)
      let setTimer: @Sendable () -> Void = {
        let number = count.value
        timer.replace(
          with: scheduler.schedule(after: limit) { join.submit(.isLate(error, after: number)) })
      }
      setTimer()
      self.attach(
        Observer(
          next: { value in
            count.value += 1
            join.submit(.value(value, number: count.value))
            setTimer()
          },
          end: { join.submit(.end($0)) }
        ),
        into: join
      )
    })
  }
}

/// Ends when the value with the highest number is the last for too long.
private struct Expiring<Value: Sendable, Failure: Error>: JoinLogic {
  enum Input: Sendable {
    case value(Value, number: Int)
    case isLate(Failure, after: Int)
    case end(End<Failure>)
  }

  var lastNumber = 0

  mutating func receive(_ input: Input, _ observer: Observer<Value, Failure>) -> End<Failure>? {
    switch input {
    case .value(let value, let number):
      lastNumber = number
      observer.onNext(value)
    case .isLate(let error, let number):
      if number == lastNumber { return .failed(error) }
    case .end(let end):
      return end
    }
    return nil
  }
}
