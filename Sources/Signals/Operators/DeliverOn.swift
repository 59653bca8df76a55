extension Signal {
  /// Delivers every event on a scheduler, in the same order.
  ///
  /// What the source does when it is subscribed, it does where it did before; see
  /// ``subscribe(on:)``.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  a-b|
  /// source.deliver(on: scheduler)
  /// ```
  ///
  /// - Parameter scheduler: Where subscribers are called; one that runs its work one after the
  ///   other.
  /// - Returns: A signal with the same events, each one scheduled.
  @inlinable
  public func deliver(on scheduler: some Scheduler) -> Signal {
    Signal(attaching: { observer, subscription in
      self.attach(
        Observer(
          next: { value in
            scheduler.schedule {
              if !subscription.isDisposed { observer.onNext(value) }
            }
          },
          end: { end in
            scheduler.schedule {
              if !subscription.isDisposed { observer.onEnd(end) }
            }
          }
        ),
        within: subscription
      )
    })
  }
}
