package import Signals

extension SQLiteSubscriberStore {
  /// The limits of a store, and the scheduler for its outcomes.
  package struct Configuration: Sendable {
    /// How long a transaction waits for the lock of another process before its sign-ups, and those
    /// queued behind them, fail.
    package var busyTimeout: Duration
    /// The maximum number of sign-ups in one transaction, 1 or more.
    ///
    /// All sign-ups of a transaction wait for the last one, and fail together if the commit fails.
    package var maximumBatch: Int
    /// The maximum number of queued sign-ups; further ones fail with `StoreError.overloaded`.
    package var maximumQueued: Int
    /// The scheduler on which outcomes are sent; its clock also limits the age of a probe result.
    ///
    /// The outcomes of a transaction are sent in one scheduled action. With `ImmediateScheduler`,
    /// it runs on the writer's thread, and the next transaction waits for it.
    package var deliverOn: any Scheduler

    /// Called with each warning for the operator: while the store is being opened, and later on the
    /// writer's thread.
    package var warn: @Sendable (StoreWarning) -> Void

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - busyTimeout: How long a transaction waits for the lock of another process.
    ///   - maximumBatch: The maximum number of sign-ups in one transaction.
    ///   - maximumQueued: The maximum number of queued sign-ups.
    ///   - deliverOn: The scheduler on which outcomes are sent.
    ///   - warn: Called with each warning for the operator.
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
