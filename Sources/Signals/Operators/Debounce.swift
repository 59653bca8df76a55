extension Signal {
  /// Sends a value once no other has arrived for a timespan.
  ///
  /// When the signal completes, a pending value is sent immediately; when it fails, the value is
  /// dropped. ReactiveObjC calls this operator `throttle:`.
  ///
  /// ```text
  /// source:  ab---c---|
  /// result:  ----b---c|
  /// source.debounce(for: .seconds(3), on: scheduler)
  /// ```
  ///
  /// - Parameters:
  ///   - quiet: The timespan in which no other value may arrive.
  ///   - scheduler: The scheduler that measures the time, and on which values are sent.
  /// - Returns: A signal with the same end.
  public func debounce(for quiet: Duration, on scheduler: some Scheduler) -> Signal {
    Signal(attaching: { observer, subscription in
      let join = SerialJoin(LastOfBurst<Value, Failure>(), to: observer, subscription)
      let timer = SerialDisposable()
      subscription.add(timer)
      let count = Box(0)
      self.attach(
        Observer(
          next: { value in
            count.value += 1
            let number = count.value
            join.submit(.value(value, number: number))
            timer.replace(
              with: scheduler.schedule(after: quiet) { join.submit(.quiet(since: number)) })
          },
          end: { join.submit(.end($0)) }
        ),
        into: join
      )
    })
  }
}

/// Holds the last value back until no other has arrived for the timespan.
private struct LastOfBurst<Value: Sendable, Failure: Error>: JoinLogic {
  enum Input: Sendable {
    case value(Value, number: Int)
    case quiet(since: Int)
    case end(End<Failure>)
  }

  var waiting: (value: Value, number: Int)?

  mutating func receive(_ input: Input, _ observer: Observer<Value, Failure>) -> End<Failure>? {
    switch input {
    case .value(let value, let number):
      waiting = (value, number)
    case .quiet(let number):
      guard let waiting, waiting.number == number else { return nil }
      self.waiting = nil
      observer.onNext(waiting.value)
    case .end(let end):
      if end.isCompleted, let waiting { observer.onNext(waiting.value) }
      return end
    }
    return nil
  }
}
