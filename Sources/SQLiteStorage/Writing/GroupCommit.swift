internal import Dispatch
internal import Signals
internal import MailingList
internal import Security

/// The writer's thread, which stores everything that was queued during the last commit in one
/// transaction.
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
  private let failures: Subject<Never, StoreError>
  private let warn: @Sendable (StoreWarning) -> Void
  private let metrics: CommitMetrics
  /// SQLite's number of the schema at its last check, and the change that was found.
  private let checkedSchema = Lock<(version: Int64?, change: String?)>((nil, nil))

  /// Creates a writer that is not running yet.
  ///
  /// - Parameters:
  ///   - database: The database, which the thread closes when it ends.
  ///   - reads: The reads that must end before the database is closed.
  ///   - failures: Fails when the store can no longer write, otherwise completes at the end.
  init(
    database: OpenDatabase, queue: WriterQueue, reads: ConcurrentReads, lockWait: LockWait,
    relayLock: RelayLock?, mails: Subject<Void, Never>, failures: Subject<Never, StoreError>,
    configuration: SQLiteSubscriberStore.Configuration
  ) throws {
    self.database = database
    self.queue = queue
    self.reads = reads
    self.lockWait = lockWait
    self.relayLock = relayLock
    self.mails = mails
    self.failures = failures
    warn = configuration.warn
    metrics = configuration.metrics
    scheduler = configuration.deliverOn
    let db = database.connection
    lockWait.install(on: db.handle)
    tools = Lock(
      Tools(
        writer: try SignUpWriter(
          db, keys: MailKeys(database.keyring), optIn: configuration.optIn, relayLock: relayLock),
        log: try LogFile(of: db, path: database.files.log, warn: configuration.warn)))
  }

  /// Executes tasks until the queue returns ``WriterTask/close``, then closes the database.
  func run() {
    close(isDamaged: work())
  }

  private func work() -> Bool {
    let tools: Tools? = tools.withLock { tools in
      defer { tools = nil }
      return tools
    }
    guard let tools else { return false }
    let db = database.connection
    // A killed process may have left a log. Until all of it has been copied, the database cannot be
    // checked.
    tools.log.checkpoint()
    check(db, tools)
    while true {
      let (task, hasWaited) = queue.next()
      switch task {
      case .store(let batch): store(batch, in: db, with: tools, checksFirst: hasWaited)
      case .probe: probe(db, tools, checksFirst: hasWaited)
      case .check: check(db, tools)
      case .access(let access):
        lockWait.begin()
        access.run(db)
      case .finished(let finishers):
        scheduler.schedule {
          for finisher in finishers { finisher.complete() }
        }
      case .close:
        return prepareClosing(db, tools)
      }
    }
  }

  private func store(
    _ batch: WriteBatch, in db: SQLiteConnection, with tools: Tools, checksFirst: Bool
  ) {
    let begin = scheduler.now
    let outcome = inTransaction(db, tools, checksFirst: checksFirst) { tools.writer.store(batch) }
    let now = scheduler.now
    var probe = ProbeOutcome(observers: [], error: nil)
    var abandoned = WriteBatch(signUps: [], changes: [])
    var mailsMayBeDue = false
    switch outcome {
    case .committed(let failures):
      metrics.record(batch.signUps.count + batch.changes.count, in: now - begin)
      mailsMayBeDue = tools.writer.mailsMayBeDue
      if let defect = failures.values.first(where: { $0 == .damaged || $0 == .readOnly }) {
        probe = queue.record(defect, now: now)
      } else if failures.count(where: { $0.key < batch.signUps.count }) < batch.signUps.count {
        // A transaction that omitted all its sign-ups does not show that the disk works, and a
        // transaction of changes may have written nothing.
        probe = queue.record(nil, now: now)
      }
    case .failed(let error):
      probe = queue.record(error, now: now)
      // Sign-ups that were queued before the failure have already waited for the maximum time. If
      // each batch waited separately, the last one would wait for the sum of all waits.
      if error == .locked || probe.error == .replaced { abandoned = queue.removeAll() }
    }
    scheduler.schedule { [probe, abandoned, mailsMayBeDue, mails] in
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
      if let error = probe.error { abandoned.fail(error) }
      probe.send()
      if mailsMayBeDue { mails.send() }
    }
    checkpointIfNeeded(db, tools)
  }

  private func probe(_ db: SQLiteConnection, _ tools: Tools, checksFirst: Bool) {
    let outcome = inTransaction(db, tools, checksFirst: checksFirst) { tools.writer.probe() }
    let probe = queue.record(outcome.transactionError, isProbe: true, now: scheduler.now)
    scheduler.schedule { probe.send() }
    checkpointIfNeeded(db, tools)
  }

  private func checkpointIfNeeded(_ db: SQLiteConnection, _ tools: Tools) {
    // The checkpoint has changed the database; the check records its new state.
    if database.watch.change == nil, tools.log.checkpointIfNeeded() { check(db, tools) }
  }

  /// Checks the files and the schema while there is no transaction.
  private func check(_ db: SQLiteConnection, _ tools: Tools) {
    if !isChanged(db, tools) { checkSchema(db) }
  }

  /// Warns once of a schema that the next start would reject; a check that fails is repeated.
  private func checkSchema(_ db: SQLiteConnection) {
    let path = database.files.path
    let last = checkedSchema.withLock { $0 }
    guard let version = try? db.number("PRAGMA schema_version"), version != last.version else {
      return
    }
    var change: String?
    do {
      _ = try db.transaction("BEGIN") { db in try Migrations.version(of: db, path: path) }
    } catch StoreOpeningError.schemaChanged(_, let reason) {
      change = reason
      if change != last.change { warn(.schemaChanged(path: path, reason: reason)) }
    } catch {
      return
    }
    checkedSchema.withLock { $0 = (version, change) }
  }

  /// Checks the files, and reports the first change.
  private func isChanged(_ db: SQLiteConnection, _ tools: Tools) -> Bool {
    guard database.watch.change == nil else { return true }
    guard database.watch.check(db) != nil else { return false }
    save(db, tools)
    // First: an observer of the failure must find that the queue rejects everything.
    let probe = queue.record(.replaced, now: scheduler.now)
    scheduler.schedule { [failures] in
      probe.send()
      failures.fail(.replaced)
    }
    return true
  }

  /// Saves the contents of the open files, as far as other programs have left them intact.
  private func save(_ db: SQLiteConnection, _ tools: Tools) {
    switch database.watch.checkCompletely(db) {
    case nil: break
    case .moved: tools.log.empty()
    case .recoverable: LogFile.leave(db)
    case .damaged:
      LogFile.leave(db)
      database.lock.record(database.watch.owner)
    }
  }

  /// Runs a transaction and checks the files before and after it.
  ///
  /// A check costs three calls of `statx` and one of `pread`, which is little compared with a
  /// commit that waits for the disk. The first check prevents sign-ups from being written to lost
  /// files; it is unnecessary if another transaction has just ended.
  private func inTransaction(
    _ db: SQLiteConnection, _ tools: Tools, checksFirst: Bool, _ body: () -> BatchOutcome
  ) -> BatchOutcome {
    lockWait.begin()
    if checksFirst || database.watch.change != nil, isChanged(db, tools) {
      return .failed(.replaced)
    }
    let outcome = body()
    guard isChanged(db, tools) else { return outcome }
    switch outcome {
    // The transaction is in the open files, which the operator may have kept.
    case .committed: return .failed(.undetermined)
    case .failed: return .failed(.replaced)
    }
  }

  /// Prepares the log for closing the connection.
  ///
  /// The last connection copies the log into the database file and deletes it by its name
  /// (<https://www.sqlite.org/wal.html#avoiding_excessively_large_wal_files>). If the name may
  /// belong to another file, the log is copied and truncated through its descriptor, and not
  /// deleted.
  private func prepareClosing(_ db: SQLiteConnection, _ tools: Tools) -> Bool {
    if database.watch.change == nil {
      if database.watch.checkCompletely(db) == nil {
        tools.log.checkpoint()
        if database.watch.check(db) == nil {
          LogFile.keep(false, of: db)
          return false
        }
      }
      save(db, tools)
    }
    if database.watch.change == .damaged { return true }
    return database.lock.isDatabaseRemoved && !saveCopy(of: db)
  }

  /// Copies a database without a name, which would be lost when the process ends, to its former
  /// folder.
  private func saveCopy(of db: SQLiteConnection) -> Bool {
    let path = database.files.database
    // Without fractions, and without colons, which some file systems reject.
    let time = Timestamp.now.description.prefix(19).split(separator: ":").joined(separator: "-")
    do {
      let file = try PartialFile(replacing: "\(path).saved-\(time)Z")
      try file.copy(db)
      try file.replaceTarget()
      warn(.saved(path: path, copy: file.target))
      return true
    } catch {
      return false
    }
  }

  /// Closes the readers, then the writer.
  private func close(isDamaged: Bool) {
    let idle = DispatchSemaphore(value: 0)
    reads.close { idle.signal() }
    idle.wait()
    // All accepted sign-ups are committed. If the database cannot be closed cleanly, the next
    // opening recovers the log.
    try? database.connection.close()
    relayLock?.release()
    database.lock.release()
    let closers = queue.finishClosing(isDamaged: isDamaged)
    scheduler.schedule { [mails, failures] in
      mails.complete()
      failures.complete()
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
  func fail(_ error: StoreError) {
    for request in signUps { request.observer.fail(error) }
    for change in changes { change.end(error) }
  }
}
