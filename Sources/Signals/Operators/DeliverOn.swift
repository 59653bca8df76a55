extension Signal {
  /// Delivers every event on a scheduler, in the same order.
  ///
  /// The source is still subscribed on the thread that subscribes; see ``subscribe(on:)``.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  a-b|
  /// source.deliver(on: scheduler)
  /// ```
  ///
  /// - Parameter scheduler: The scheduler on which observers are called; it must run its work
  ///   serially.
  /// - Returns: A signal with the same events, each one scheduled.
  @inlinable
  public func deliver(on scheduler: some Scheduler) -> Signal {
    delivered(by: { scheduler.schedule($0) })
  }

  /// Delivers every event as work that runs serially.
  @inlinable
  func delivered(
    by schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) -> Signal {
    Signal(attaching: { observer, subscription in
      self.attach(
        Observer(
          next: { value in
            schedule {
              if !subscription.isDisposed { observer.onNext(value) }
            }
          },
          end: { end in
            schedule {
              if !subscription.isDisposed { observer.onEnd(end) }
            }
          }
        ),
        within: subscription
      )
    })
  }
}
