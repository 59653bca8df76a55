internal import FoundationEssentials
package import MailingList
package import Security
package import Signals
internal import Platform

/// A subscriber store in one SQLite file.
///
/// ```text
/// callers ──► WriterQueue ──► GroupCommit, a thread ──► database file
///                │ full: .overloaded      │
///                                         └──► deliverOn: the outcomes of a batch, together
/// ```
///
/// An acknowledged sign-up survives a crash and a power loss: the file is in WAL mode with
/// `synchronous=FULL` (<https://www.sqlite.org/wal.html>). If another process holds the lock or the
/// disk is full, only the current sign-ups fail; the next transaction tries again. Once the files
/// have been changed in place, removed or replaced, no further sign-up is acknowledged. A lock
/// prevents a second store from using them.
///
/// A released store closes automatically after storing all accepted sign-ups.
package final class SQLiteSubscriberStore: ListStore {
  package let access: SQLiteAccess
  package let now: @Sendable () -> Timestamp
  let logPath: String
  private let lockWait: LockWait
  private let scheduler: any Scheduler
  private let mails: SQLiteOutbox
  private let failures: Subject<Never, StoreError>
  private let purging: Purge
  private let upkeep: [any Disposable]

  /// The secret of the service: that of the configuration, or otherwise that of the database.
  package let keyring: Keyring

  /// Opens a database, creating it if necessary, and migrates its schema.
  ///
  /// - Parameter path: The database file; its folder must exist and be on a local disk.
  package init(
    path: String, configuration: Configuration = Configuration()
  ) throws(StoreOpeningError) {
    let database = try DatabaseOpening.writer(
      path: path, busyTimeout: configuration.busyTimeout, keyring: configuration.keyring,
      warn: configuration.warn)
    let queue = WriterQueue(
      maximumBatch: configuration.maximumBatch, maximumQueued: configuration.maximumQueued)
    let reads = ConcurrentReads(
      scheduler: configuration.deliverOn,
      isReadable: { [watch = database.watch] in watch.isIndexIntact },
      open: { [path = database.files.database] in
        // Readers wait only while another process recovers the log or closes the database.
        try SQLiteConnection(path: path, isReadOnly: true, busyTimeout: .seconds(10))
      }
    )
    let lockWait = LockWait(timeout: configuration.busyTimeout)
    let relayLock = RelayLock(path: database.files.relayLock)
    let mails = Subject<Void, Never>()
    let failures = Subject<Never, StoreError>()
    do {
      let writer = try GroupCommit(
        database: database, queue: queue, reads: reads, lockWait: lockWait, relayLock: relayLock,
        mails: mails, failures: failures, configuration: configuration)
      NamedThread.start("store-writer") { writer.run() }
    } catch {
      throw StoreOpeningError(error, path: path)
    }
    if configuration.checksFile {
      LaterCheck.begin(of: path, reads, queue, warn: configuration.warn)
    }
    let access = SQLiteAccess(queue: queue, reads: reads)
    self.access = access
    logPath = database.files.log
    self.lockWait = lockWait
    scheduler = configuration.deliverOn
    let now = configuration.now
    self.now = now
    keyring = database.keyring
    self.failures = failures
    let purge = Purge(access, eventAge: configuration.eventRetention, on: configuration.deliverOn)
    purging = purge
    let repeated = configuration.purgeInterval.map { interval in
      purge.run(every: interval, now: now)
    }
    let checking = configuration.checkInterval.map { interval in
      Signal<Duration, Never>.interval(interval, on: configuration.deliverOn)
        .subscribe(next: { _ in queue.check() })
    }
    upkeep = [repeated, checking].compactMap(\.self)
    self.mails = SQLiteOutbox(access, relayLock: relayLock, mails: mails)
  }

  deinit {
    for task in upkeep { task.dispose() }
    access.queue.close()
  }

  /// Adds a sign-up, in one transaction with concurrent ones, in the order of their arrival.
  ///
  /// The same statements run for every state of a subscriber: four with double opt-in, three with
  /// single opt-in. Disposing the subscription suppresses the outcome, but does not cancel the
  /// sign-up.
  ///
  /// The signal completes when the sign-up is durable, or fails when nothing was stored.
  package func add(_ signUp: SignUp) -> Signal<Never, StoreError> {
    Signal { [queue = access.queue] observer in
      if let error = queue.add(QueuedSignUp(signUp: signUp, observer: observer)) {
        observer.fail(error)
      }
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

  package func hasStored(_ id: ExecutionID) -> Signal<Bool, StoreError> {
    read { [now] list throws(StoreError) in try list.hasStored(id, at: now()) }
  }

  /// Fails when the files have been changed, removed or replaced by another program.
  package var failure: Signal<Never, StoreError> { failures.signal }

  /// The queued mails, which are in the same file.
  package var outbox: any Outbox { mails }

  /// The number of sign-ups without a transaction.
  package var queuedSignUps: Int { access.queue.signUpCount }

  /// The size of the write-ahead log in bytes; 0 while the file does not exist.
  package var logBytes: Int? { FileStatus(at: logPath)?.byteCount ?? 0 }

  /// Checks whether the store accepts writes, from the last transaction or by writing one page.
  ///
  /// The result of a transaction is valid for one second by the scheduler's clock. All callers
  /// before the end of the next transaction share its result. The signal completes if the store
  /// accepts writes, or fails with the reason.
  package func probe() -> Signal<Never, StoreError> {
    Signal { [queue = access.queue, scheduler] observer in
      queue.probe(observer, now: scheduler.now)
      return nil
    }
  }

  /// Deletes subscribers that never confirmed, and expired data; the store does so automatically at
  /// the interval of its configuration.
  ///
  /// Subscribers that never confirmed are deleted 30 days after they signed up, left or were
  /// suppressed, unless they have a valid link or a queued mail. Links are deleted 30 days after
  /// they expired, codes three days after they expired, and counters of mailboxes after 30 days
  /// without a mail.
  package func purge() -> Signal<Int, StoreError> {
    .deferred { [now, purging] in purging.run(at: now()).reduce(0, +) }
  }

  /// Stops accepting sign-ups, and sends the outcome of every accepted one by a deadline.
  ///
  /// Until the deadline, accepted sign-ups are stored as before. At the deadline, sign-ups without
  /// a transaction fail with ``StoreError/closed``, and a transaction that is waiting for a lock
  /// fails. Only a transaction that is waiting for the disk takes longer.
  ///
  /// The signal completes when every sign-up has its outcome.
  package func finish(within time: Duration) -> Signal<Never, Never> {
    Signal { [queue = access.queue, scheduler, lockWait] observer in
      lockWait.end(within: time)
      queue.finish(observer)
      let deadline = scheduler.schedule(after: time) {
        queue.failAll(.closed)
      }
      return AnyDisposable { deadline.dispose() }
    }
  }

  /// Stores all accepted sign-ups, copies the log into the database file, and closes both.
  ///
  /// The signal is cold: closing begins with the first subscription. It completes when all files
  /// are closed.
  package func close() -> Signal<Never, Never> {
    Signal { [access] observer in
      access.reads.stop()
      access.queue.close(observer)
      return nil
    }
  }

  /// Calls a closure with the writer's own connection between two transactions, and waits for it;
  /// for tests only.
  func withConnection<Value, Failure: Error>(
    _ body: (SQLiteConnection) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try ConnectionAccess.make(on: access.queue, body)
  }
}
