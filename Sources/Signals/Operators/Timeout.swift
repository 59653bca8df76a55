extension Signal {
  /// Fails when the signal has not ended after some time.
  ///
  /// Values do not prolong the time: it is measured from subscribing to the end.
  ///
  /// ```text
  /// source:  a-a-a-|
  /// result:  a-a#
  /// source.timeout(after: .seconds(3), on: scheduler, with: MarbleError())
  /// ```
  ///
  /// - Parameters:
  ///   - limit: How long the signal may take.
  ///   - scheduler: Whose time it is, and where the failure is sent.
  ///   - error: What it fails with.
  /// - Returns: A signal that ends in time; the source is disposed when it does not.
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
