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
    after limit: Duration,
    on scheduler: some Scheduler,
    with error: Failure
  ) -> Signal {
    Signal(attaching: { observer, subscription in
      let join = SerialJoin(Merging<Value, Failure>(), to: observer, subscription)
      subscription.schedule(after: limit, on: scheduler) { join.submit(.failed(error)) }
      self.attach(
        Observer(next: { join.submit(.next($0)) }, end: { join.submit($0.event()) }),
        into: join
      )
    })
  }
}
