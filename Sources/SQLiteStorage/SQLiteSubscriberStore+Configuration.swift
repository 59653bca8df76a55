package import MailingList
package import Secrets
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

    /// Whether the owner of an address has to confirm a sign-up.
    package var optIn: OptIn
    /// The secret of the service; `nil` uses that of the database, which is made at the first start.
    package var keyring: Keyring?
    /// Returns the current time, by which executions become unknown and the purge decides.
    package var now: @Sendable () -> Timestamp

    /// How often the store deletes what is kept only for a time; `nil` never does.
    package var purgeInterval: Duration?

    /// Whether the whole file is checked once the store is open; only tests that damage it do without.
    var checksFile = true

    /// How often the store checks its files while it stores nothing; `nil` never does.
    package var checkInterval: Duration?

    /// The measurements of transactions.
    package var metrics = CommitMetrics()

    /// Called with each warning for the operator: while the store is being opened, and later on the
    /// writer's thread.
    package var warn: @Sendable (StoreWarning) -> Void

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - keyring: The secret of the service; `nil` uses that of the database.
    ///   - purgeInterval: How often the store deletes what is kept only for a time.
    package init(
      busyTimeout: Duration = .seconds(5),
      maximumBatch: Int = 256,
      maximumQueued: Int = 16_384,
      deliverOn: any Scheduler = ImmediateScheduler(),
      optIn: OptIn = .single,
      keyring: Keyring? = nil,
      now: @escaping @Sendable () -> Timestamp = { .now },
      purgeInterval: Duration? = nil,
      warn: @escaping @Sendable (StoreWarning) -> Void = { _ in }
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
