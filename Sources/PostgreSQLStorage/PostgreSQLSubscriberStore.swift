internal import ListStorage
package import MailingList
internal import Monitoring
package import Secrets
package import Signals

/// A subscriber store in a database of PostgreSQL that several replicas share.
///
/// ```text
/// callers ──► WriterQueue ──► PostgreSQLWriter, a thread ──► one function call for a batch
///         ├─► ReaderQueue ──► PostgreSQLReader, a thread ──► queries
///         └─► PostgreSQLStatusLog ──► StatusFollower, a thread ──► the log, in rounds
///                                   └──► deliverOn: the outcomes
/// ```
///
/// An acknowledged sign-up is as durable as the server's `synchronous_commit` makes it, which is
/// tested. While the server is away, sign-ups wait for a time and then fail; one whose outcome is
/// unknown is sent again, and stored once.
///
/// A released store closes automatically after storing all accepted sign-ups.
package final class PostgreSQLSubscriberStore: ListStore {
  package let access: PostgreSQLAccess
  package let now: @Sendable () -> Timestamp
  private let scheduler: any Scheduler
  let log: PostgreSQLStatusLog?
  private let mails: ListOutbox
  private let purging: (any Disposable)?

  /// The secret of the service: that of the configuration, or else that of the database.
  package let keyring: Keyring

  /// Connects to a database, and migrates its schema.
  ///
  /// It blocks until the server is there, at most for the startupTimeout of the configuration.
  package convenience init(
    _ parameters: ConnectionParameters,
    configuration: Configuration = Configuration()
  ) throws(PostgreSQLOpeningError) {
    try self.init(parameters, configuration: configuration) { connection, hears in
      PostgreSQLStatusLog(
        connection,
        PostgreSQLStatusLog.Configuration(
          parameters: parameters,
          hears: hears,
          deliverOn: configuration.deliverOn,
          now: configuration.now,
          metrics: FollowerMetrics(configuration.metrics),
          report: configuration.report
        )
      )
    }
  }

  /// Connects to a database, and gives the follower its connection.
  ///
  /// - Parameter startFollower: Starts the thread that follows the status log, with its connection,
  ///   and whether it hears notifications.
  init(
    _ parameters: ConnectionParameters,
    configuration: Configuration,
    startFollower: (_ connection: PostgreSQLConnection, _ hears: Bool) -> any StatusLogWriter
  ) throws(PostgreSQLOpeningError) {
    let scheduler = configuration.deliverOn
    let timeout = configuration.timeout
    let queue = WriterQueue(maximumQueued: configuration.maximumQueued, timeout: timeout)
    let reads = ReaderQueue(maximumQueued: configuration.maximumQueued, timeout: timeout)
    let connectionMetrics = ConnectionMetrics(configuration.metrics)
    let reports = ConnectionReports()
    let connections = try OpenConnections.open(
      OpenConnections.Request(
        parameters: parameters,
        timeout: timeout,
        keyring: configuration.keyring,
        report: { role in
          Self.reporting(role, queue, scheduler, connectionMetrics) { change in
            if let line = reports.line(for: change, of: role) { configuration.report(line) }
          }
        },
        notify: configuration.report
      ),
      startupTimeout: configuration.startupTimeout
    )
    // An attempt that failed may have reported its connection as lost.
    _ = queue.setConnectionError(nil)
    connectionMetrics.opened()
    reports.opened()
    let mails = Subject<Void, Never>()
    let statusLog = startFollower(connections.follower, connections.hearsNotifications)
    let writer = PostgreSQLWriter(
      connections.writer,
      PostgreSQLWriter.Tools(
        queue: queue,
        timeout: timeout,
        scheduler: scheduler,
        keys: MailKeys(connections.keyring),
        optIn: configuration.optIn,
        statusLog: statusLog,
        mails: mails,
        metrics: CommitMetrics(configuration.metrics)
      )
    )
    StoreThread.start("store-writer", writer) { $0.run() }
    PostgreSQLReader.start(connections.reader, reads, timeout: timeout, deliverOn: scheduler)
    let access = PostgreSQLAccess(queue: queue, reads: reads)
    self.access = access
    self.scheduler = scheduler
    log = statusLog.log
    now = configuration.now
    keyring = connections.keyring
    self.mails = ListOutbox(access, mails: mails)
    purging = configuration.purgeInterval.map { interval in
      Purge(access, eventAge: configuration.eventRetention, on: scheduler)
        .run(every: interval, now: configuration.now)
    }
  }

  deinit {
    purging?.dispose()
    access.queue.close()
    access.reads.close()
  }

  /// Adds a sign-up, in one statement with concurrent ones.
  ///
  /// The same statement runs for every state of a subscriber. Disposing the subscription suppresses
  /// the outcome, but does not cancel the sign-up.
  ///
  /// - Returns: A signal that completes when the sign-up is durable, or fails when nothing was
  ///   stored, except with `StoreError.undetermined`.
  package func add(_ signUp: SignUp) -> Signal<Never, StoreError> {
    Signal { [queue = access.queue] observer in
      if let error = queue.add(signUp, observer) { observer.fail(error) }
      return nil
    }
  }

  /// The number of sign-ups that wait for a batch.
  package var queuedSignUps: Int { access.queue.signUpCount }

  /// `nil`: the server's write-ahead log is the operator's.
  package var logBytes: Int? { nil }

  /// Reads whether a sign-up with this execution id was stored, by any replica.
  ///
  /// While the service follows the log, it waits up to two seconds for one that another replica may
  /// just be storing.
  package func hasStored(_ id: ExecutionID) -> Signal<Bool, StoreError> {
    if let log, log.isFollowed { return log.hasStored(id) }
    return access.read { [now] (list) throws(StoreError) in try list.hasStored(id, at: now()) }
  }

  /// The status log in the same database; its thread starts when the service follows it.
  package var sharedStatusLog: (any SharedStatusLog)? { log }

  /// The mails that wait in the same database.
  package var outbox: any Outbox { mails }

  /// Checks whether the store accepts writes, from the last statement or by changing one row.
  ///
  /// - Returns: A signal that completes if the store accepts writes, or fails with the reason; it
  ///   fails immediately while there is no connection.
  package func probe() -> Signal<Never, StoreError> {
    Signal { [queue = access.queue] observer in
      queue.probe(observer)
      return nil
    }
  }

  /// Stops accepting sign-ups, and sends the outcome of every accepted one by a deadline.
  ///
  /// At the deadline, sign-ups that were not sent fail with `StoreError.closed`. What was sent may
  /// take longer if the server does not respond.
  ///
  /// - Returns: A signal that completes when every sign-up has its outcome.
  package func finish(within time: Duration) -> Signal<Never, Never> {
    Signal { [queue = access.queue, scheduler] observer in
      queue.finish(by: .now + time, observer)
      let deadline = scheduler.schedule(after: time) {
        queue.failAll(.closed)
      }
      return AnyDisposable { deadline.dispose() }
    }
  }

  /// Stores all accepted sign-ups, then closes the connections.
  ///
  /// - Returns: A cold signal that completes when they are closed; closing begins with the first
  ///   subscription.
  package func close() -> Signal<Never, Never> {
    let writer = Signal<Never, Never> { [queue = access.queue, purging] observer in
      purging?.dispose()
      queue.close(observer)
      return nil
    }
    let reader = Signal<Never, Never> { [reads = access.reads] observer in
      reads.close(observer)
      return nil
    }
    // After the writer, so that its last batches get their positions.
    return .merge(writer.concat(log?.close() ?? .empty), reader)
  }

  /// Makes what reports the changes of a connection to the operator and to the metrics, and those of
  /// the writer to its queue.
  private static func reporting(
    _ role: OpenConnections.Role,
    _ queue: WriterQueue,
    _ scheduler: any Scheduler,
    _ metrics: ConnectionMetrics,
    to report: @escaping @Sendable (ConnectionReport) -> Void
  ) -> @Sendable (ConnectionReport) -> Void {
    { change in
      metrics.record(change, of: role)
      switch (role, change) {
      case (.writer, .lost), (.writer, .rejected):
        let probes = queue.setConnectionError(.unreachable)
        if !probes.isEmpty {
          scheduler.schedule {
            for probe in probes { probe.fail(.unreachable) }
          }
        }
      case (.writer, .back): _ = queue.setConnectionError(nil)
      case (.writer, .warning), (.follower, _), (.reader, _): break
      }
      report(change)
    }
  }
}
