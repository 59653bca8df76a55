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
  private let database: DatabasePool
  /// Taken out by the thread, so that its statements go before the database is closed.
  private let writer: Lock<SignUpWriter?>
  private let queue: SignUpQueue
  private let readers: Readers
  private let scheduler: any Scheduler

  /// Makes a writer that does not run yet.
  ///
  /// - Parameters:
  ///   - database: Closed by the thread when it ends.
  ///   - queue: Where the work comes from.
  ///   - readers: Waited for before the database is closed.
  ///   - scheduler: Where outcomes are told, and the time of the probe.
  /// - Throws: `DatabaseError`.
  init(
    database: DatabasePool,
    queue: SignUpQueue,
    readers: Readers,
    scheduler: any Scheduler
  ) throws {
    self.database = database
    self.queue = queue
    self.readers = readers
    self.scheduler = scheduler
    writer = Lock(try database.writeWithoutTransaction { try SignUpWriter($0) })
  }

  /// Works until the queue says to close, then closes the database.
  func run() {
    work()
    close()
  }

  private func work() {
    let writer: SignUpWriter? = writer.withLock { writer in
      defer { writer = nil }
      return writer
    }
    guard let writer else { return }
    // Nobody else writes, so the thread stays within the writer's access for good: to enter it for
    // each transaction would cost two thread switches, which a sign-up that comes alone would feel.
    database.writeWithoutTransaction { db in
      while true {
        switch queue.next() {
        case .store(let batch): store(batch, with: writer)
        case .probe: probe(with: writer)
        case .visit(let visit): visit.run(db)
        case .close: return
        }
      }
    }
  }

  private func store(_ batch: [SignUpRequest], with writer: SignUpWriter) {
    let outcome = writer.store(batch)
    let askers: [Observer<Never, StoreError>]
    switch outcome {
    case .committed(let failures):
      // A transaction from which every member was left out says nothing about the disk.
      askers = failures.count < batch.count ? queue.record(nil, now: scheduler.now) : []
    case .failed(let error):
      askers = queue.record(error, now: scheduler.now)
    }
    scheduler.schedule {
      for (index, request) in batch.enumerated() {
        if let error = outcome.error(at: index) {
          request.observer.fail(error)
        } else {
          request.observer.send(Receipt(id: request.signUp.id))
          request.observer.complete()
        }
      }
      Self.tell(askers, outcome.transactionError)
    }
  }

  private func probe(with writer: SignUpWriter) {
    let outcome = writer.probe()
    let askers = queue.record(outcome.transactionError, now: scheduler.now)
    scheduler.schedule { Self.tell(askers, outcome.transactionError) }
  }

  private static func tell(_ askers: [Observer<Never, StoreError>], _ error: StoreError?) {
    for asker in askers {
      if let error { asker.fail(error) } else { asker.complete() }
    }
  }

  /// Closes readers, then the writer: the last connection copies the log into the database file and
  /// removes it (<https://www.sqlite.org/wal.html#avoiding_excessively_large_wal_files>).
  private func close() {
    let idle = DispatchSemaphore(value: 0)
    readers.close { idle.signal() }
    idle.wait()
    database.releaseMemory()
    // What was accepted is stored and committed; if the file cannot be closed in order, the next
    // opening recovers the log.
    try? database.close()
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
