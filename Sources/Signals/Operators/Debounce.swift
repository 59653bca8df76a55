extension Signal {
  /// Sends a value once no other has come for some time.
  ///
  /// When the signal completes, a value that waits is sent at once; when it fails, the value is
  /// dropped. ReactiveObjC calls this operator `throttle:`.
  ///
  /// ```text
  /// source:  ab---c---|
  /// result:  ----b---c|
  /// source.debounce(for: .seconds(3), on: scheduler)
  /// ```
  ///
  /// - Parameters:
  ///   - quiet: How long no other value may come.
  ///   - scheduler: Whose time it is, and where values are sent.
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
              with: scheduler.schedule(after: quiet) { join.submit(.quiet(since: number)) }
            )
          },
          end: { join.submit(.end($0)) }
        ),
        into: join
      )
    })
  }
}

/// Keeps the last value until it is quiet.
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
