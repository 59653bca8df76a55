package import MailingList
package import Platform
package import Security
package import Signals

extension PostgreSQLSubscriberStore {
  /// The limits of a store, and the scheduler for its outcomes.
  package struct Configuration: Sendable {
    /// The timeout of a statement, and of the wait for a connection.
    package var timeout: Duration
    /// The maximum number of queued sign-ups; further ones fail with `StoreError.overloaded`.
    package var maximumQueued: Int
    /// The scheduler on which outcomes are sent.
    package var deliverOn: any Scheduler
    /// Whether the owner of an address must confirm a sign-up.
    package var optIn: OptIn
    /// The secret of the service; `nil` uses that of the database, which is created at the first
    /// start.
    package var keyring: Keyring?
    /// Returns the current time, which determines the age of executions and the rows to purge.
    package var now: @Sendable () -> Timestamp
    /// The interval of the purge; `nil` disables it.
    package var purgeInterval: Duration?
    /// The age at which events are deleted; `nil` keeps them.
    package var eventRetention: Duration? = nil
    /// The timeout of the wait for the server at startup.
    package var startupTimeout: Duration
    package var metrics = MetricRegistry()
    /// Called with each report for the operator: on the opening thread while the store is opening,
    /// and later on the thread of a connection.
    package var report: @Sendable (StoreReport) -> Void

    package init(
      timeout: Duration = .seconds(5), maximumQueued: Int = 16_384,
      deliverOn: any Scheduler = ImmediateScheduler(), optIn: OptIn = .single,
      keyring: Keyring? = nil, now: @escaping @Sendable () -> Timestamp = { .now },
      purgeInterval: Duration? = nil, startupTimeout: Duration = .seconds(30),
      report: @escaping @Sendable (StoreReport) -> Void = { _ in }
    ) {
      self.timeout = timeout
      self.maximumQueued = maximumQueued
      self.deliverOn = deliverOn
      self.optIn = optIn
      self.keyring = keyring
      self.now = now
      self.purgeInterval = purgeInterval
      self.startupTimeout = startupTimeout
      self.report = report
    }
  }
}
