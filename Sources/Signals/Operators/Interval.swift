extension Signal where Value == Duration, Failure == Never {
  /// Sends the scheduler's time at regular intervals, and never ends.
  ///
  /// A tick that falls due while the previous one is still being delivered, or while the scheduler's
  /// queue is busy, is skipped, not made up for: to count time, use the values, not their number.
  ///
  /// ```text
  /// result:  --x-x-(x|)
  /// Signal.interval(.seconds(2), on: scheduler).map { _ in "x" }.take(3)
  /// ```
  ///
  /// - Parameters:
  ///   - interval: The time between two values, and before the first one; more than zero.
  ///   - scheduler: The scheduler that measures the time, and on which the values are sent.
  /// - Returns: A cold signal; each subscription has its own timer, which disposal stops.
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

  /// Sends the scheduler's time once, after a delay, and completes.
  ///
  /// ```text
  /// result:  --(x|)
  /// Signal.timer(after: .seconds(2), on: scheduler).map { _ in "x" }
  /// ```
  ///
  /// - Parameters:
  ///   - delay: The delay after each subscription; negative counts as zero.
  ///   - scheduler: The scheduler that measures the time, and on which the value is sent.
  /// - Returns: A cold signal; disposing a subscription stops its timer.
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
