extension Signal {
  /// Subscribes on a scheduler; events arrive where the source sends them.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  a-b|
  /// source.subscribe(on: scheduler)
  /// ```
  ///
  /// - Parameter scheduler: The scheduler on which the source is subscribed.
  /// - Returns: A signal whose source is not subscribed if the subscription is disposed before its
  ///   turn.
  @inlinable
  public func subscribe(on scheduler: some Scheduler) -> Signal {
    Signal(attaching: { observer, subscription in
      subscription.add(
        scheduler.schedule {
          if !subscription.isDisposed { self.attach(observer, subscription) }
        }
      )
    })
  }
}
