package import Platform
package import Security
package import Signals

/// Read access to a list: a store, or a reader next to the service that writes the list.
///
/// All functions may be called from any thread, and none of them blocks; signals send on a thread
/// that the list chooses.
package protocol ReadableList: Sendable {
  /// Returns a cold signal that reads at each subscription, from a snapshot of its own.
  ///
  /// It sends what the closure returns and completes, or fails if the list cannot be read. Reads do
  /// not wait for the writer.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (ListReader) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError>
}

/// The threads that read and change a list.
package protocol ListAccess: ReadableList {
  /// Returns a cold signal that queues a change at each subscription, and sends the result when it
  /// is durable, or fails if nothing was stored.
  ///
  /// Disposing the subscription does not cancel the change. The closure is called again if its
  /// transaction is repeated.
  func change<Value: Sendable>(
    _ body: @escaping @Sendable (ListWriter) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError>
}

/// The storage of the mailing list, in a file or on a server.
///
/// Every store passes the same conformance suite.
package protocol ListStore: ListAccess {
  /// Adds a sign-up atomically: it stores both the subscriber and the consent, or neither.
  ///
  /// The signal is cold: each subscription stores the sign-up once. It completes only when the
  /// sign-up is durable, that is, when it survives a crash and a power loss, and fails if nothing
  /// was stored. A repeated sign-up for an address is not an error and never downgrades the
  /// subscriber's state.
  func add(_ signUp: SignUp) -> Signal<Never, StoreError>

  /// Reads whether a sign-up with this execution id was stored within ``ExecutionID/lifetime``.
  ///
  /// If services share a list, this may wait up to two seconds for a sign-up of another service.
  func hasStored(_ id: ExecutionID) -> Signal<Bool, StoreError>

  /// The status log that the services of this list share; `nil` if the list belongs to one service.
  var sharedStatusLog: (any SharedStatusLog)? { get }

  /// The mails that sign-ups and renewals have caused; empty with ``OptIn/single``.
  var outbox: any Outbox { get }

  /// The secrets of the list: those of the settings, or otherwise those of the database.
  var keyring: Keyring { get }

  /// Checks whether the store accepts writes; the signal completes, or fails with the reason.
  ///
  /// The result is that of the last commit if it is less than a second old, otherwise that of a
  /// probe write, which concurrent callers share.
  func probe() -> Signal<Never, StoreError>

  /// Fails when the store can no longer store anything until it is opened again.
  var failure: Signal<Never, StoreError> { get }

  /// The number of sign-ups that wait for a transaction.
  var queuedSignUps: Int { get }

  /// The size of the log that is not yet part of the database, in bytes; `nil` for a store without
  /// such a file.
  var logBytes: Int? { get }

  /// Stops accepting sign-ups, and sends the outcome of every accepted one by a deadline.
  ///
  /// At the deadline, a sign-up that is not being written fails with ``StoreError/closed`` and is
  /// not stored. One that is being written may take longer if the disk does not respond. The signal
  /// completes when every sign-up has its outcome.
  func finish(within time: Duration) -> Signal<Never, Never>

  /// Stores all accepted sign-ups, then closes; the signal completes when all files are closed.
  ///
  /// Later calls fail with ``StoreError/closed``.
  func close() -> Signal<Never, Never>
}

extension ListStore {
  /// `nil`: the list belongs to one service.
  package var sharedStatusLog: (any SharedStatusLog)? { nil }

  /// Completes: the store can recover from every failure.
  package var failure: Signal<Never, StoreError> { .empty }
}

/// The histograms of a store's transactions: their duration, and the number of sign-ups and changes
/// in each.
package struct CommitMetrics: Sendable {
  private let time: Histogram
  private let size: Histogram

  package init(_ registry: MetricRegistry = MetricRegistry()) {
    time = registry.histogram("enlist_commit_seconds")
    size = registry.histogram("enlist_commit_size")
  }

  /// Records a transaction that was committed.
  package func record(_ count: Int, in duration: Duration) {
    let (seconds, attoseconds) = duration.components
    time.record(Double(seconds) + Double(attoseconds) / 1e18)
    size.record(Double(count))
  }
}
