extension Signal {
  /// Subscribes on a scheduler; events arrive where the source sends them.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  a-b|
  /// source.subscribe(on: scheduler)
  /// ```
  ///
  /// - Parameter scheduler: Where the source starts its work.
  /// - Returns: A signal that is not subscribed at all when it is disposed before its turn comes.
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
