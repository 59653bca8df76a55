package import Signals

extension SQLiteSubscriberStore {
  /// The limits of a store, and where it sends.
  package struct Configuration: Sendable {
    /// How long the sign-ups of a transaction wait for the lock of another process before they fail,
    /// and those that are queued behind them.
    package var busyTimeout: Duration
    /// How many sign-ups one transaction takes at the most, 1 or more.
    ///
    /// All of them fail together when the commit does, and wait for the last of them.
    package var maximumBatch: Int
    /// How many sign-ups may wait; one more fails with `StoreError.overloaded`.
    package var maximumQueued: Int
    /// Where outcomes are sent, and whose time the probe goes by.
    ///
    /// The outcomes of a transaction are one piece of work. With `ImmediateScheduler` it runs on the
    /// writer's thread, and the next transaction waits for it.
    package var deliverOn: any Scheduler

    /// Called with what the operator should know; while the store is opened, and later on the
    /// writer's thread.
    package var warn: @Sendable (StoreWarning) -> Void

    /// Makes a configuration.
    ///
    /// - Parameters:
    ///   - busyTimeout: How long a transaction waits for the lock of another process.
    ///   - maximumBatch: How many sign-ups one transaction takes at the most.
    ///   - maximumQueued: How many sign-ups may wait.
    ///   - deliverOn: Where outcomes are sent.
    ///   - warn: Called with what the operator should know.
    package init(
      busyTimeout: Duration = .seconds(5),
      maximumBatch: Int = 256,
      maximumQueued: Int = 16_384,
      deliverOn: any Scheduler = ImmediateScheduler(),
      warn: @escaping @Sendable (StoreWarning) -> Void = { _ in }
    ) {
      self.busyTimeout = busyTimeout
      self.maximumBatch = maximumBatch
      self.maximumQueued = maximumQueued
      self.deliverOn = deliverOn
      self.warn = warn
    }
  }
}
