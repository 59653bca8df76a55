extension Signal where Value == Duration, Failure == Never {
  /// Sends the scheduler's time again and again, and never ends.
  ///
  /// ```text
  /// result:  --x-x-(x|)
  /// Signal.interval(.seconds(2), on: scheduler).map { _ in "x" }.take(3)
  /// ```
  ///
  /// - Parameters:
  ///   - interval: The time from one value to the next, and to the first one; more than zero.
  ///   - scheduler: Whose time it is, and where the values are sent.
  /// - Returns: A cold signal; each subscription has a timer of its own, which its disposal stops.
  @inlinable
  public static func interval(_ interval: Duration, on scheduler: some Scheduler) -> Signal {
    Signal(attaching: { observer, subscription in
      subscription.add(
        scheduler.schedule(after: interval, repeating: interval) {
          if !subscription.isDisposed { observer.onNext(scheduler.now) }
        }
      )
    })
  }

  /// Sends the scheduler's time once, later, and completes.
  ///
  /// ```text
  /// result:  --(x|)
  /// Signal.timer(after: .seconds(2), on: scheduler).map { _ in "x" }
  /// ```
  ///
  /// - Parameters:
  ///   - delay: How long after each subscription. Negative counts as zero.
  ///   - scheduler: Whose time it is, and where the value is sent.
  /// - Returns: A cold signal; disposal of a subscription stops its timer.
  @inlinable
  public static func timer(after delay: Duration, on scheduler: some Scheduler) -> Signal {
    Signal(attaching: { observer, subscription in
      subscription.add(
        scheduler.schedule(after: delay) {
          guard !subscription.isDisposed else { return }
          observer.onNext(scheduler.now)
          if !subscription.isDisposed { observer.onEnd(.completed) }
        }
      )
    })
  }
}
