package import MailingList
package import Security
package import Signals

extension SQLiteSubscriberStore {
  /// The limits of a store, and the scheduler for its outcomes.
  package struct Configuration: Sendable {
    /// The maximum wait of a transaction for the lock of another process; then its sign-ups, and
    /// those queued behind them, fail.
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
    /// the action runs on the writer's thread, and the next transaction waits for it.
    package var deliverOn: any Scheduler

    /// Whether the owner of an address must confirm a sign-up.
    package var optIn: OptIn
    /// The secret of the service; `nil` uses that of the database, which is created at the first
    /// start.
    package var keyring: Keyring?
    /// Returns the current time, which determines the age of executions and the rows to purge.
    package var now: @Sendable () -> Timestamp

    /// Interval of the purge; `nil` disables it.
    package var purgeInterval: Duration?
    /// The age at which events are deleted; `nil` keeps them.
    package var eventRetention: Duration? = nil

    /// Whether the whole file is checked after the store has opened; only tests disable it.
    package var checksFile = true

    /// Interval of the checks of the files while the store is idle; `nil` disables them.
    package var checkInterval: Duration?

    package var metrics = CommitMetrics()

    /// Called with each warning for the operator: on the opening thread while the store is opening,
    /// and later on the writer's thread or that of the file's check.
    package var warn: @Sendable (StoreWarning) -> Void

    package init(
      busyTimeout: Duration = .seconds(5), maximumBatch: Int = 256, maximumQueued: Int = 16_384,
      deliverOn: any Scheduler = ImmediateScheduler(), optIn: OptIn = .single,
      keyring: Keyring? = nil, now: @escaping @Sendable () -> Timestamp = { .now },
      purgeInterval: Duration? = nil, warn: @escaping @Sendable (StoreWarning) -> Void = { _ in }
    ) {
      self.busyTimeout = busyTimeout
      self.maximumBatch = maximumBatch
      self.maximumQueued = maximumQueued
      self.deliverOn = deliverOn
      self.optIn = optIn
      self.keyring = keyring
      self.now = now
      self.purgeInterval = purgeInterval
      self.warn = warn
    }
  }
}
