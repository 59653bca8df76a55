package import MailingList
internal import Platform
package import Security
package import Signals

/// A subscriber store in a PostgreSQL database that several replicas share.
///
/// ```text
/// callers ──► WriterQueue ──► PostgreSQLWriter, a thread ──► one function call for a batch
///         ├─► ReaderQueue ──► PostgreSQLReader, a thread ──► queries
///         └─► PostgreSQLStatusLog ──► StatusFollower, a thread ──► the log, in rounds
///                                   └──► deliverOn: the outcomes
/// ```
///
/// An acknowledged sign-up is as durable as the server's `synchronous_commit` makes it, which must
/// not be off. While the server is unreachable, sign-ups wait until their timeout and then fail. A
/// sign-up with an undetermined outcome is sent again, and stored only once.
///
/// A released store closes automatically after storing all accepted sign-ups.
package final class PostgreSQLSubscriberStore: ListStore {
  package let access: PostgreSQLAccess
  package let now: @Sendable () -> Timestamp
  private let scheduler: any Scheduler
  let log: PostgreSQLStatusLog
  private let mails: ListOutbox
  private let purging: (any Disposable)?

  /// The secret of the service: that of the configuration, or otherwise that of the database.
  package let keyring: Keyring

  /// Connects to a database, and migrates its schema.
  ///
  /// The initializer blocks until the server is reachable, at most for the configuration's
  /// `startupTimeout`.
  package init(
    _ parameters: ConnectionParameters, configuration: Configuration = Configuration()
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
    // A failed attempt may have reported its connection as lost.
    _ = queue.setConnectionError(nil)
    connectionMetrics.opened()
    reports.opened()
    let mails = Subject<Void, Never>()
    log = PostgreSQLStatusLog(
      connections.follower,
      PostgreSQLStatusLog.Configuration(
        parameters: parameters, hears: connections.hearsNotifications, deliverOn: scheduler,
        now: configuration.now, metrics: FollowerMetrics(configuration.metrics),
        report: configuration.report))
    let writer = PostgreSQLWriter(
      connections.writer,
      PostgreSQLWriter.Tools(
        queue: queue, timeout: timeout, scheduler: scheduler, keys: MailKeys(connections.keyring),
        optIn: configuration.optIn, statusLog: log, mails: mails,
        metrics: CommitMetrics(configuration.metrics)))
    StoreThread.start("store-writer", writer) { $0.run() }
    PostgreSQLReader.start(connections.reader, reads, timeout: timeout, deliverOn: scheduler)
    let access = PostgreSQLAccess(queue: queue, reads: reads)
    self.access = access
    self.scheduler = scheduler
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
  /// The signal completes when the sign-up is durable, or fails when nothing was stored; only after
  /// `StoreError.undetermined` may the sign-up have been stored.
  package func add(_ signUp: SignUp) -> Signal<Never, StoreError> {
    Signal { [queue = access.queue] observer in
      if let error = queue.add(signUp, observer) { observer.fail(error) }
      return nil
    }
  }

  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (ListReader) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError> {
    access.read(body)
  }

  package func change<Value: Sendable>(
    _ body: @escaping @Sendable (ListWriter) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError> {
    access.change(body)
  }

  /// The number of sign-ups that are waiting for a batch.
  package var queuedSignUps: Int { access.queue.signUpCount }

  /// Always `nil`, because the write-ahead log belongs to the server.
  package var logBytes: Int? { nil }

  /// Reads whether any replica has stored a sign-up with an execution id.
  ///
  /// While the service follows the log, the signal waits up to two seconds for another replica that
  /// may be storing it.
  package func hasStored(_ id: ExecutionID) -> Signal<Bool, StoreError> {
    if log.isFollowed { return log.hasStored(id) }
    return read { [now] list throws(StoreError) in try list.hasStored(id, at: now()) }
  }

  /// The status log in the same database; its thread starts when the service begins to follow it.
  package var sharedStatusLog: (any SharedStatusLog)? { log }

  /// The queued mails, which are in the same database.
  package var outbox: any Outbox { mails }

  /// Checks whether the store accepts writes, from the last statement or by changing one row.
  ///
  /// The signal completes if the store accepts writes, or fails with the reason; without a
  /// connection, it fails immediately.
  package func probe() -> Signal<Never, StoreError> {
    Signal { [queue = access.queue] observer in
      queue.probe(observer)
      return nil
    }
  }

  /// Stops accepting sign-ups, and sends the outcome of every accepted one by a deadline.
  ///
  /// At the deadline, sign-ups that were not sent fail with `StoreError.closed`. A sent batch takes
  /// longer if the server does not respond.
  ///
  /// The signal completes when every sign-up has its outcome.
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
  /// The signal is cold: closing begins with the first subscription. It completes when the
  /// connections are closed.
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
    // The log closes after the writer, so that the last batches get their positions.
    return .merge(writer.concat(log.close()), reader)
  }

  /// Returns the observer of a connection's changes, for the operator, the metrics and, in the case
  /// of the writer, its queue.
  private static func reporting(
    _ role: OpenConnections.Role, _ queue: WriterQueue, _ scheduler: any Scheduler,
    _ metrics: ConnectionMetrics, to report: @escaping @Sendable (ConnectionReport) -> Void
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
