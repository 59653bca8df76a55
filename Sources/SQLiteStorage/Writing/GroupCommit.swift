internal import Dispatch
internal import GRDB
internal import Locks
internal import MailingList
internal import Secrets
internal import Signals

/// The writer's thread, which stores all that was queued during the last commit in one transaction.
///
/// A commit waits for the disk once, regardless of the number of sign-ups, so the cost per sign-up
/// falls under load. A single sign-up is not delayed.
final class GroupCommit: Sendable {
  /// The objects that only the thread uses.
  ///
  /// The thread takes ownership of them, so that the statements are finalized before the database
  /// is closed.
  private struct Tools: Sendable {
    let writer: SignUpWriter
    let log: LogFile
  }

  private let database: OpenDatabase
  private let tools: Lock<Tools?>
  private let queue: WriterQueue
  private let reads: ConcurrentReads
  private let scheduler: any Scheduler
  private let lockWait: LockWait
  private let relayLock: RelayLock?
  private let mails: Subject<Void, Never>
  private let metrics: CommitMetrics

  /// Creates a writer that is not running yet.
  ///
  /// - Parameters:
  ///   - database: The database; the thread closes it when it ends.
  ///   - queue: The source of the tasks.
  ///   - reads: The reads that must end before the database is closed.
  ///   - lockWait: The waiting policy for the lock of another process.
  ///   - relayLock: The lock of the process that sends the mails, released at the end.
  ///   - mails: Sends after a transaction that has queued a mail or a row that takes its place, and
  ///     completes at the end.
  ///   - configuration: The scheduler for outcomes and probe times, and the warning handler.
  /// - Throws: `DatabaseError`.
  init(
    database: OpenDatabase,
    queue: WriterQueue,
    reads: ConcurrentReads,
    lockWait: LockWait,
    relayLock: RelayLock?,
    mails: Subject<Void, Never>,
    configuration: SQLiteSubscriberStore.Configuration
  ) throws {
    self.database = database
    self.queue = queue
    self.reads = reads
    self.lockWait = lockWait
    self.relayLock = relayLock
    self.mails = mails
    metrics = configuration.metrics
    scheduler = configuration.deliverOn
    let tools = try database.pool.writeWithoutTransaction { db in
      lockWait.install(on: db)
      return Tools(
        writer: try SignUpWriter(
          db,
          keys: MailKeys(database.keyring),
          optIn: configuration.optIn,
          relayLock: relayLock
        ),
        log: try LogFile(of: db, path: database.files.log, warn: configuration.warn)
      )
    }
    self.tools = Lock(tools)
  }

  /// Executes tasks until the queue returns ``WriterTask/close``, then closes the database.
  func run() {
    work()
    close()
  }

  private func work() {
    let tools: Tools? = tools.withLock { tools in
      defer { tools = nil }
      return tools
    }
    guard let tools else { return }
    // No other code writes, so the thread stays inside the writer's access permanently. Entering it
    // for each transaction would cost two thread switches, which would delay a single sign-up.
    database.pool.writeWithoutTransaction { db in
      var lastCheck = scheduler.now
      while true {
        switch queue.next() {
        case .store(let batch): store(batch, with: tools, &lastCheck)
        case .probe: probe(with: tools, &lastCheck)
        case .access(let access):
          lockWait.begin()
          access.run(db)
        case .finished(let finishers):
          scheduler.schedule {
            for finisher in finishers { finisher.complete() }
          }
        case .close:
          prepareClosing(db, tools)
          return
        }
      }
    }
  }

  private func store(_ batch: WriteBatch, with tools: Tools, _ lastCheck: inout Duration) {
    let begin = scheduler.now
    let outcome = inTransaction(tools, &lastCheck) { tools.writer.store(batch) }
    let now = scheduler.now
    var probe = ProbeOutcome(observers: [], error: nil)
    var abandoned = WriteBatch(signUps: [], changes: [])
    var hasNewMail = false
    switch outcome {
    case .committed(let failures):
      metrics.record(batch.signUps.count + batch.changes.count, in: now - begin)
      hasNewMail = tools.writer.hasNewMail
      if let defect = failures.values.first(where: { $0 == .damaged || $0 == .readOnly }) {
        probe = queue.record(defect, now: now)
      } else if failures.count(where: { $0.key < batch.signUps.count }) < batch.signUps.count {
        // A transaction whose sign-ups were all left out says nothing about the disk, nor does one
        // of changes, which may have written nothing.
        probe = queue.record(nil, now: now)
      }
    case .failed(let error):
      probe = queue.record(error, now: now)
      // Sign-ups that were queued before the failure have already waited for the maximum time. If
      // each batch waited separately, the last one would wait for the sum of all waits.
      if error == .locked || error == .replaced { abandoned = queue.removeAll() }
    }
    scheduler.schedule { [probe, abandoned, hasNewMail, mails] in
      for (index, request) in batch.signUps.enumerated() {
        if let error = outcome.error(at: index) {
          request.observer.fail(error)
        } else {
          request.observer.complete()
        }
      }
      for (index, change) in batch.changes.enumerated() {
        change.end(outcome.error(at: batch.signUps.count + index))
      }
      if let error = outcome.transactionError { abandoned.fail(error) }
      probe.send()
      if hasNewMail { mails.send() }
    }
    tools.log.checkpointIfNeeded()
  }

  private func probe(with tools: Tools, _ lastCheck: inout Duration) {
    let outcome = inTransaction(tools, &lastCheck) { tools.writer.probe() }
    let probe = queue.record(outcome.transactionError, isProbe: true, now: scheduler.now)
    scheduler.schedule { probe.send() }
    tools.log.checkpointIfNeeded()
  }

  /// Runs a transaction and checks before and after it that the database's paths name its files.
  ///
  /// The check after the transaction costs two calls of `statx`, which is little compared with a
  /// commit that waits for the disk. The check before it prevents the first sign-up after a
  /// replacement from being written to the previous file; it is skipped if the last check was less
  /// than a second ago.
  private func inTransaction(
    _ tools: Tools,
    _ lastCheck: inout Duration,
    _ body: () -> BatchOutcome
  ) -> BatchOutcome {
    lockWait.begin()
    if scheduler.now - lastCheck >= .seconds(1), !database.watch.isIntact {
      tools.log.empty()
      return .failed(.replaced)
    }
    let outcome = body()
    lastCheck = scheduler.now
    switch outcome {
    case .committed where !database.watch.isIntact:
      tools.log.empty()
      return .failed(.replaced)
    case .committed, .failed:
      return outcome
    }
  }

  /// Prepares the log for closing the connection.
  ///
  /// The last connection copies the log into the database file and deletes it by its name
  /// (<https://www.sqlite.org/wal.html#avoiding_excessively_large_wal_files>). If the name may
  /// belong to another file, the log is copied and truncated through its descriptor, and not
  /// deleted.
  private func prepareClosing(_ db: Database, _ tools: Tools) {
    if database.watch.isIntact {
      LogFile.keep(false, of: db)
    } else {
      tools.log.empty()
    }
  }

  /// Closes the readers, then the writer.
  private func close() {
    let idle = DispatchSemaphore(value: 0)
    reads.close { idle.signal() }
    idle.wait()
    database.pool.releaseMemory()
    // All accepted sign-ups are committed. If the database cannot be closed cleanly, the next
    // opening recovers the log.
    try? database.pool.close()
    relayLock?.release()
    database.lock?.release()
    let closers = queue.finishClosing()
    scheduler.schedule { [mails] in
      mails.complete()
      for closer in closers { closer.complete() }
    }
  }
}

extension BatchOutcome {
  /// The error of the whole transaction; `nil` if it was committed.
  fileprivate var transactionError: StoreError? {
    switch self {
    case .committed: nil
    case .failed(let error): error
    }
  }

  /// Returns the error of the sign-up or change at an index; `nil` if it was stored.
  fileprivate func error(at index: Int) -> StoreError? {
    switch self {
    case .committed(let failures): failures[index]
    case .failed(let error): error
    }
  }
}

extension WriteBatch {
  /// Sends an error to all observers.
  func fail(_ error: StoreError) {
    for request in signUps { request.observer.fail(error) }
    for change in changes { change.end(error) }
  }
}
