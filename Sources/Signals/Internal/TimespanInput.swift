/// The input of a join that gathers values for a timespan, which begins with the first of them.
enum TimespanInput<Value: Sendable, Failure: Error>: Sendable {
  /// A value, and the closure that begins a timespan with a number: the join's logic cannot hold
  /// the join.
  case value(Value, beginTime: @Sendable (_ number: Int) -> any Disposable)
  /// The end of the timespan with a number.
  case timeIsOver(number: Int)
  /// The end of the signal.
  case end(End<Failure>)
}

extension Signal {
  /// Subscribes the signal into a join that gathers its values for a timespan.
  ///
  /// - Parameters:
  ///   - join: The join, whose logic begins the timespan.
  ///   - time: The length of the timespan.
  ///   - scheduler: The scheduler whose time it is, and that submits its end.
  func attach<Logic: JoinLogic>(
    into join: SerialJoin<Logic>, gatheringFor time: Duration, on scheduler: some Scheduler
  ) where Logic.Input == TimespanInput<Value, Failure> {
    let subscription = join.subscription
    let beginTime: @Sendable (Int) -> any Disposable = { number in
      subscription.schedule(after: time, on: scheduler) { join.submit(.timeIsOver(number: number)) }
    }
    attach(
      Observer(
        next: { join.submit(.value($0, beginTime: beginTime)) }, end: { join.submit(.end($0)) }),
      into: join)
  }
}
