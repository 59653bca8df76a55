internal import Foundation
internal import GRDB
package import MailingList
package import Signals

/// The mailing list in one SQLite file.
///
/// ```text
/// callers ──► WriterQueue ──► GroupCommit, a thread ──► database file
///                │ full: .overloaded      │
///                                         └──► deliverOn: the outcomes of a batch, together
/// ```
///
/// What was acknowledged survives the death of the process and the loss of power: the file is in WAL
/// mode with `synchronous=FULL` (<https://www.sqlite.org/wal.html>). A lock that another process
/// holds, or a full disk, fails the sign-ups of that moment only; the next transaction tries again.
/// When the files are removed or replaced, no sign-up is acknowledged any more. A lock on a file next
/// to the database keeps a second store away from it.
///
/// A store that nobody holds any more closes by itself, after what it accepted is stored.
package final class SQLiteSubscriberStore: SubscriberStore {
  private let queue: WriterQueue
  private let reads: ConcurrentReads
  private let lockWait: LockWait
  private let scheduler: any Scheduler

  /// Opens a database, creates it if it is not there, and brings it up to date.
  ///
  /// - Parameters:
  ///   - path: The file; its folder has to exist, and to be on a disk of this machine.
  ///   - configuration: Limits, and where outcomes are sent.
  /// - Throws: `StoreOpeningError`; nothing stays open then.
  package init(
    path: String,
    configuration: Configuration = Configuration()
  ) throws(StoreOpeningError) {
    let database = try DatabaseOpening.writer(
      path: path,
      busyTimeout: configuration.busyTimeout,
      warn: configuration.warn
    )
    let queue = WriterQueue(
      maximumBatch: configuration.maximumBatch,
      maximumQueued: configuration.maximumQueued
    )
    let reads = ConcurrentReads(database.pool, scheduler: configuration.deliverOn)
    let lockWait = LockWait(timeout: configuration.busyTimeout)
    do {
      let writer = try GroupCommit(
        database: database,
        queue: queue,
        reads: reads,
        lockWait: lockWait,
        configuration: configuration
      )
      Thread.detachNewThread {
        // By the thread itself: before it starts, the system is not told.
        Thread.current.name = "store-writer"
        writer.run()
      }
    } catch {
      throw StoreOpeningError(error, path: path)
    }
    self.queue = queue
    self.reads = reads
    self.lockWait = lockWait
    scheduler = configuration.deliverOn
  }

  deinit {
    queue.close()
  }

  /// Stores a sign-up with others that come at the same time, in the order in which they came.
  ///
  /// The upsert and the consent are the same two statements in every state. Disposing the
  /// subscription keeps the receipt away, but does not take the sign-up back.
  ///
  /// - Parameter signUp: What to store.
  /// - Returns: The receipt; or why nothing was stored.
  package func add(_ signUp: SignUp) -> Signal<Receipt, StoreError> {
    Signal { [queue] observer in
      if let error = queue.add(QueuedSignUp(signUp: signUp, observer: observer)) {
        observer.fail(error)
      }
      return nil
    }
  }

  /// Whether a sign-up with this execution id was stored; read beside the writer.
  ///
  /// - Parameter id: The public id of the execution.
  /// - Returns: One value; or why it cannot be told.
  package func hasStored(_ id: ExecutionID) -> Signal<Bool, StoreError> {
    reads.read { try Queries.hasStored(id, in: $0) }
  }

  /// Whether the store can store: from the last transaction, or from one that writes one page.
  ///
  /// A transaction counts for a second by the time of the scheduler; all who ask before the next one
  /// has ended share it.
  ///
  /// - Returns: Completes when it can; or why it cannot.
  package func probe() -> Signal<Never, StoreError> {
    Signal { [queue, scheduler] observer in
      queue.probe(observer, now: scheduler.now)
      return nil
    }
  }

  /// Reads subscribers in the order of their ids; each part is a moment of its own.
  ///
  /// - Parameters:
  ///   - id: Only ids above this one; `nil` begins at the first.
  ///   - limit: How many at the most, 1 or more.
  /// - Returns: One array; empty when there are none left.
  package func subscribers(after id: Int64?, limit: Int) -> Signal<[Subscriber], StoreError> {
    reads.read { try Queries.subscribers(after: id, limit: limit, in: $0) }
  }

  /// Accepts no more sign-ups, and sends the outcome of each that was accepted by a deadline.
  ///
  /// Until then sign-ups are stored as before. At the deadline those that have no transaction fail
  /// with ``StoreError/closed``, and a transaction that waits for a lock fails. Only one that waits
  /// for the disk takes longer.
  ///
  /// - Parameter time: How long from now.
  /// - Returns: Completes when each sign-up has its outcome.
  package func finish(within time: Duration) -> Signal<Never, Never> {
    Signal { [queue, scheduler, lockWait] observer in
      lockWait.end(within: time)
      queue.finish(observer)
      let deadline = scheduler.schedule(after: time) {
        for request in queue.removeAll() { request.observer.fail(.closed) }
      }
      return AnyDisposable { deadline.dispose() }
    }
  }

  /// Stores what was accepted so far, copies the log into the database file, and closes both.
  ///
  /// Cold: closing begins with the first subscription.
  ///
  /// - Returns: Completes when all files are closed.
  package func close() -> Signal<Never, Never> {
    Signal { [queue, reads] observer in
      reads.stop()
      queue.close(observer)
      return nil
    }
  }

  /// Gives tests the writer's own connection, between two transactions; waits for its turn.
  func withConnection<Value, Failure: Error>(
    _ body: (Database) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try ConnectionAccess.make(on: queue, body)
  }
}
