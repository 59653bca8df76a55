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

/// The reason why a store operation failed; a failed operation stores nothing, unless it is
/// ``undetermined``.
package enum StoreError: Error, Hashable, Sendable {
  /// The disk is full, or a quota or a limit on file sizes is exceeded.
  case full
  /// Another process held the lock for longer than the busy timeout.
  case locked
  case readOnly
  /// The content is not that which the store wrote.
  case damaged
  /// The files were changed, removed or replaced while the store was open; it no longer stores
  /// anything.
  case replaced
  /// The write queue is full.
  case overloaded
  case closed
  /// There is no connection to the server.
  case unreachable
  /// The program does not support the schema of the database.
  case incompatible
  /// The server did not report in time whether it stored the change, or the files were changed,
  /// removed or replaced meanwhile; sending the change again is harmless.
  case undetermined
  /// Another service is storing a sign-up for the same address.
  case executing
  /// Another error of SQLite, with its extended result code.
  case failed(code: Int32)
  /// Another error of a PostgreSQL server, with its SQLSTATE: five characters.
  case rejected(state: String)
}

extension StoreError: CustomStringConvertible {
  /// A short description for the operator.
  package var description: String {
    switch self {
    case .full: "the disk is full; free space on it"
    case .locked: "another process holds the lock; end that process or wait for it"
    case .readOnly: "the database is read-only"
    case .damaged: "the database is damaged"
    case .replaced:
      """
      the files of the database were changed, removed or replaced while the service was running; \
      stop the service, restore the database, and start the service again
      """
    case .overloaded: "the write queue is full"
    case .closed: "the store is closed"
    case .unreachable: "the database server is unreachable"
    case .incompatible: "the schema of the database is not supported by this release"
    case .undetermined: "it is not known whether the change was stored"
    case .executing: "another service is storing the same address"
    case .failed(let code): "the store failed with SQLite code \(code)"
    case .rejected("42501"):
      "the store failed with SQLSTATE 42501: the role may only read, or lacks rights on a table"
    case .rejected(let state): "the store failed with SQLSTATE \(state)"
    }
  }
}

/// The status log of a list that several services share, and the changes that it receives from
/// them.
///
/// The log contains the messages of the executions of all services, in one order: a message has the
/// same position everywhere, also after a restart. A store whose list belongs to one service has no
/// such log; that service has its own messages in memory.
///
/// All functions may be called from any thread, and none of them blocks. Unlike those of the log,
/// signals send on the thread that the store chooses for its results.
package protocol SharedStatusLog: Sendable {
  /// Follows the log until the store is closed; called once.
  ///
  /// - Parameters:
  ///   - history: The number of the newest messages that are received at the beginning, and that
  ///     every service retains; at least 1.
  ///   - receive: Receives the changes, one at a time and in order, on the log's own thread. The
  ///     first one is ``SharedStatusChange/began(epoch:next:reason:)``.
  func follow(history: Int, _ receive: @escaping @Sendable (SharedStatusChange) -> Void)

  /// Adds the messages of a failed execution, started and failed, which no service stores.
  ///
  /// They may be lost while the log is unreachable.
  func add(_ messages: [StatusPayload])

  /// Reads the log until a position has been received that another service may already have sent.
  ///
  /// The signal is cold and completes then, or after two seconds.
  func catchUp(to position: UInt64) -> Signal<Never, Never>

  /// Returns the confirmation of a subscription after a time, whichever service received it.
  ///
  /// The signal is cold; it sends the time of the confirmation within about a second, and
  /// completes. It does not end before.
  func confirmation(of subscriber: Int64, after time: Timestamp) -> Signal<Timestamp, Never>
}

/// A change of a shared status log.
package enum SharedStatusChange: Hashable, Sendable {
  /// The reason why positions do not continue those received before.
  package enum Reason: String, Hashable, Sendable {
    /// The log has lost messages that were already received: earlier positions are meaningless.
    case epoch
    /// The log no longer contains the messages that follow those received before.
    case expired
  }

  /// The log begins, or begins again: nothing received before belongs to it.
  ///
  /// `reason` explains why positions do not continue; `nil` the first time.
  case began(epoch: String, next: UInt64, reason: Reason?)
  /// Messages at the next positions.
  case messages([StatusPayload])
}
