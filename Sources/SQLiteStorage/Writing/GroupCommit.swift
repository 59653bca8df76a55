internal import Dispatch
internal import GRDB
internal import Locks
internal import MailingList
internal import Signals

/// The writer's thread: takes what queued up during the last commit into one transaction.
///
/// One commit waits for the disk once, however many sign-ups it holds, so the more come the less
/// each costs; a sign-up that comes alone is not delayed.
final class GroupCommit: Sendable {
  /// What only the thread uses; it is taken out by the thread, so that its statements are finalized
  /// before the database is closed.
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

  /// Makes a writer that does not run yet.
  ///
  /// - Parameters:
  ///   - database: Closed by the thread when it ends.
  ///   - queue: Where the work comes from.
  ///   - reads: Waited for before the database is closed.
  ///   - lockWait: How a transaction waits for the lock of another process.
  ///   - configuration: Where outcomes are told, the time of the probe, and who is warned.
  /// - Throws: `DatabaseError`.
  init(
    database: OpenDatabase,
    queue: WriterQueue,
    reads: ConcurrentReads,
    lockWait: LockWait,
    configuration: SQLiteSubscriberStore.Configuration
  ) throws {
    self.database = database
    self.queue = queue
    self.reads = reads
    self.lockWait = lockWait
    scheduler = configuration.deliverOn
    let tools = try database.pool.writeWithoutTransaction { db in
      lockWait.install(on: db)
      return Tools(
        writer: try SignUpWriter(db),
        log: try LogFile(of: db, path: database.files.log, warn: configuration.warn)
      )
    }
    self.tools = Lock(tools)
  }

  /// Works until the queue says to close, then closes the database.
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
    // Nobody else writes, so the thread stays within the writer's access for good: to enter it for
    // each transaction would cost two thread switches, which a sign-up that comes alone would feel.
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

  private func store(_ batch: [QueuedSignUp], with tools: Tools, _ lastCheck: inout Duration) {
    let outcome = inTransaction(tools, &lastCheck) { tools.writer.store(batch) }
    let now = scheduler.now
    var probe = ProbeOutcome(observers: [], error: nil)
    var abandoned: [QueuedSignUp] = []
    switch outcome {
    case .committed(let failures):
      if let defect = failures.values.first(where: { $0 == .damaged || $0 == .readOnly }) {
        probe = queue.record(defect, now: now)
      } else if failures.count < batch.count {
        // A transaction from which every member was left out says nothing about the disk.
        probe = queue.record(nil, now: now)
      }
    case .failed(let error):
      probe = queue.record(error, now: now)
      // What came before the failure has waited as long as a sign-up may; if each batch waited for
      // itself, the last one would wait for all of them.
      if error == .locked || error == .replaced { abandoned = queue.removeAll() }
    }
    scheduler.schedule { [probe, abandoned] in
      for (index, request) in batch.enumerated() {
        if let error = outcome.error(at: index) {
          request.observer.fail(error)
        } else {
          request.observer.send(Receipt(id: request.signUp.id))
          request.observer.complete()
        }
      }
      if let error = outcome.transactionError {
        for request in abandoned { request.observer.fail(error) }
      }
      probe.send()
    }
    tools.log.checkpointIfNeeded()
  }

  private func probe(with tools: Tools, _ lastCheck: inout Duration) {
    let outcome = inTransaction(tools, &lastCheck) { tools.writer.probe() }
    let probe = queue.record(outcome.transactionError, isProbe: true, now: scheduler.now)
    scheduler.schedule { probe.send() }
    tools.log.checkpointIfNeeded()
  }

  /// Runs a transaction on files that the database's paths name, before and after it.
  ///
  /// The check after it costs two calls of `stat`, next to a commit that waits for the disk. The one
  /// before is left out while commits follow each other; it keeps the sign-up that finds out about a
  /// replacement from being written into the file that was there before.
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

  /// Decides what becomes of the log when the connection is closed.
  ///
  /// The last connection copies the log into the database file and deletes it by its name
  /// (<https://www.sqlite.org/wal.html#avoiding_excessively_large_wal_files>). When the name may be
  /// another file's, the log is copied and emptied through its descriptor and left where it is.
  private func prepareClosing(_ db: Database, _ tools: Tools) {
    if database.watch.isIntact {
      LogFile.keep(false, of: db)
    } else {
      tools.log.empty()
    }
  }

  /// Closes readers, then the writer.
  private func close() {
    let idle = DispatchSemaphore(value: 0)
    reads.close { idle.signal() }
    idle.wait()
    database.pool.releaseMemory()
    // What was accepted is stored and committed; if the file cannot be closed in order, the next
    // opening recovers the log.
    try? database.pool.close()
    database.lock?.release()
    let closers = queue.finishClosing()
    scheduler.schedule {
      for closer in closers { closer.complete() }
    }
  }
}

extension BatchOutcome {
  /// Why nothing was stored.
  fileprivate var transactionError: StoreError? {
    switch self {
    case .committed: nil
    case .failed(let error): error
    }
  }

  /// Why a member was not stored.
  fileprivate func error(at index: Int) -> StoreError? {
    switch self {
    case .committed(let failures): failures[index]
    case .failed(let error): error
    }
  }
}
