internal import Dispatch
internal import Signals
internal import MailingList

/// The next task of the writer.
enum WriterTask: Sendable {
  /// Store these sign-ups and changes in one transaction.
  case store(WriteBatch)
  /// Check whether the database accepts writes.
  case probe
  /// Check the files.
  case check
  /// Lend the connection to another thread.
  case access(ConnectionAccess)
  /// Notify these observers that every sign-up has its outcome.
  case finished([Observer<Never, Never>])
  /// Close the files; this is the last task.
  case close
}

/// The observers of a probe, and its result.
struct ProbeOutcome: Sendable {
  let observers: [Observer<Never, StoreError>]
  let error: StoreError?

  func send() {
    for observer in observers {
      if let error { observer.fail(error) } else { observer.complete() }
    }
  }
}

/// The queue between the callers of the store and the writer's thread.
///
/// Callers add tasks under the lock and never wait. Only the writer waits, in ``next()``, on a
/// semaphore that is signaled only while the writer is waiting.
final class WriterQueue: Sendable {
  private struct State {
    /// The queued sign-ups in batches; only the last batch may have room.
    var batches: [[QueuedSignUp]] = []
    var count = 0
    /// The queued changes in batches of at most ``maximumChanges``; only the last may have room.
    var changes: [[any QueuedChange]] = []
    var changeCount = 0
    var accesses: [ConnectionAccess] = []
    /// Whether to check the files when there are no other tasks.
    var isCheckDue = false
    /// The observers of the next transaction's result, whatever the transaction contains.
    var probeObservers: [Observer<Never, StoreError>] = []
    /// The observers that are waiting for the outcomes of all sign-ups.
    var finishers: [Observer<Never, Never>] = []
    /// The number of threads that are sending an error to removed sign-ups and changes.
    var failingCount = 0
    /// The observers that are waiting for the files to be closed.
    var closers: [Observer<Never, Never>] = []
    var lastOutcome: (error: StoreError?, at: Duration)?
    /// A persistent failure; unless it is final, the next committed sign-up clears it.
    var defect: StoreError?
    /// Whether the defect is permanent, so that the queue rejects everything.
    var isFinal = false
    /// Whether new sign-ups are rejected.
    var isFinishing = false
    var isClosing = false
    var isClosed = false
    var isWriterWaiting = false

    /// Returns whether the writer is waiting, and marks it as awake, so that it is woken only once.
    mutating func wakesWriter() -> Bool {
      defer { isWriterWaiting = false }
      return isWriterWaiting
    }
  }

  /// The maximum number of changes in a transaction; limited because sign-ups wait for them.
  private static let maximumChanges = 16

  private let maximumBatch: Int
  private let maximumQueued: Int
  private let state = Lock(State())
  private let wakeUp = DispatchSemaphore(value: 0)

  /// Creates an empty queue.
  ///
  /// - Parameter maximumBatch: The maximum number of sign-ups in a transaction, 1 or more.
  init(maximumBatch: Int, maximumQueued: Int) {
    self.maximumBatch = max(1, maximumBatch)
    self.maximumQueued = maximumQueued
  }

  /// The number of sign-ups without a transaction.
  var signUpCount: Int { state.withLock { $0.count } }

  /// Whether the writer is waiting for a task; after a wait, it checks the files before a
  /// transaction.
  var isIdle: Bool { state.withLock { $0.isWriterWaiting } }

  /// Adds a sign-up to the queue; returns the reason for a rejection, or `nil`.
  func add(_ request: QueuedSignUp) -> StoreError? {
    let (error, wakes): (StoreError?, Bool) = state.withLock { state in
      if state.isFinishing { return (.closed, false) }
      if state.isFinal { return (state.defect, false) }
      if state.count >= maximumQueued { return (.overloaded, false) }
      if let last = state.batches.indices.last, state.batches[last].count < maximumBatch {
        state.batches[last].append(request)
      } else {
        state.batches.append([request])
      }
      state.count += 1
      return (nil, state.wakesWriter())
    }
    if wakes { wakeUp.signal() }
    return error
  }

  /// Adds a change to the queue, even while the store is finishing, so that mails can be settled.
  ///
  /// Returns the reason for a rejection, or `nil`; a rejected change sends no outcome.
  func add(_ change: any QueuedChange) -> StoreError? {
    let (error, wakes): (StoreError?, Bool) = state.withLock { state in
      if state.isClosing { return (.closed, false) }
      if state.isFinal { return (state.defect, false) }
      if state.changeCount >= maximumQueued { return (.overloaded, false) }
      if let last = state.changes.indices.last, state.changes[last].count < Self.maximumChanges {
        state.changes[last].append(change)
      } else {
        state.changes.append([change])
      }
      state.changeCount += 1
      return (nil, state.wakesWriter())
    }
    if wakes { wakeUp.signal() }
    return error
  }

  /// Adds a request for the writer's connection.
  func add(_ access: ConnectionAccess) {
    let wakes = state.withLock { state in
      state.accesses.append(access)
      return state.wakesWriter()
    }
    if wakes { wakeUp.signal() }
  }

  /// Makes the writer check the files, unless it has other tasks, each of which includes the check.
  func check() {
    let wakes = state.withLock { state in
      if state.isClosing { return false }
      state.isCheckDue = true
      return state.wakesWriter()
    }
    if wakes { wakeUp.signal() }
  }

  /// Reports whether the store accepts writes, now or after the next transaction.
  func probe(_ observer: Observer<Never, StoreError>, now: Duration) {
    let (outcome, wakes): (Result<Void, StoreError>?, Bool) = state.withLock { state in
      if state.isClosing {
        return (.failure(state.defect == .damaged ? .damaged : .closed), false)
      }
      if let defect = state.defect { return (.failure(defect), false) }
      if let last = state.lastOutcome, now - last.at < .seconds(1) {
        return (last.error.map { .failure($0) } ?? .success(()), false)
      }
      state.probeObservers.append(observer)
      return (nil, state.wakesWriter())
    }
    if wakes { wakeUp.signal() }
    switch outcome {
    case .success: observer.complete()
    case .failure(let error): observer.fail(error)
    case nil: break
    }
  }

  /// Stops accepting sign-ups, and makes the writer close when all accepted ones are stored.
  ///
  /// - Parameter observer: Notified when the files are closed.
  func close(_ observer: Observer<Never, Never>? = nil) {
    let (isClosed, wakes) = state.withLock { state in
      state.isFinishing = true
      state.isClosing = true
      if let observer, !state.isClosed { state.closers.append(observer) }
      return (state.isClosed, state.wakesWriter())
    }
    if wakes { wakeUp.signal() }
    if isClosed { observer?.complete() }
  }

  /// Stops accepting sign-ups.
  ///
  /// - Parameter observer: Notified by the writer when every sign-up has its outcome.
  func finish(_ observer: Observer<Never, Never>) {
    let (isClosed, wakes) = state.withLock { state in
      state.isFinishing = true
      if !state.isClosed { state.finishers.append(observer) }
      return (state.isClosed, state.wakesWriter())
    }
    if wakes { wakeUp.signal() }
    if isClosed { observer.complete() }
  }

  /// Removes and returns all sign-ups and changes without a transaction, which will not be stored;
  /// the caller notifies their observers.
  func removeAll() -> WriteBatch {
    state.withLock { state in
      state.count = 0
      state.changeCount = 0
      defer {
        state.batches = []
        state.changes = []
      }
      return WriteBatch(
        signUps: state.batches.flatMap(\.self), changes: state.changes.flatMap(\.self))
    }
  }

  /// Removes all sign-ups and changes without a transaction, and sends them an error.
  ///
  /// The queue is not finished until every observer has received the error, on whichever thread.
  func failAll(_ error: StoreError) {
    state.withLock { $0.failingCount += 1 }
    removeAll().fail(error)
    let wakes = state.withLock { state in
      state.failingCount -= 1
      return state.wakesWriter()
    }
    if wakes { wakeUp.signal() }
  }

  /// Waits for the next task, and returns whether the writer has waited for it.
  ///
  /// Only the writer calls this function, after sending the outcomes of its last transaction.
  /// Sign-ups precede a probe, because their transaction provides its result.
  func next() -> (task: WriterTask, hasWaited: Bool) {
    var hasWaited = false
    while true {
      let task: WriterTask? = state.withLock { state in
        if !state.accesses.isEmpty { return .access(state.accesses.removeFirst()) }
        if !state.batches.isEmpty || !state.changes.isEmpty {
          let signUps = state.batches.isEmpty ? [] : state.batches.removeFirst()
          let changes = state.changes.isEmpty ? [] : state.changes.removeFirst()
          state.count -= signUps.count
          state.changeCount -= changes.count
          return .store(WriteBatch(signUps: signUps, changes: changes))
        }
        if !state.finishers.isEmpty, state.failingCount == 0 {
          defer { state.finishers = [] }
          return .finished(state.finishers)
        }
        if !state.probeObservers.isEmpty { return .probe }
        if state.isCheckDue {
          state.isCheckDue = false
          return .check
        }
        if state.isClosing, state.failingCount == 0 { return .close }
        state.isWriterWaiting = true
        return nil
      }
      if let task { return (task, hasWaited) }
      wakeUp.wait()
      hasWaited = true
    }
  }

  /// Records the outcome of a transaction, and returns the waiting observers of a probe with its
  /// result, which the caller sends.
  ///
  /// - Parameters:
  ///   - error: The reason why the transaction failed; `nil` when it was committed.
  ///   - isProbe: Whether the transaction contained no sign-up. After some failures, a successful
  ///     probe proves nothing: it writes one page, and other pages may be damaged.
  func record(_ error: StoreError?, isProbe: Bool = false, now: Duration) -> ProbeOutcome {
    state.withLock { state in
      switch error {
      case _ where state.isFinal: break
      case .damaged, .readOnly: state.defect = error
      // For a file, a commit is undetermined only if the files were replaced meanwhile.
      case .replaced, .undetermined:
        state.defect = .replaced
        state.isFinal = true
      case nil where !isProbe: state.defect = nil
      case nil, .full, .locked, .overloaded, .closed, .unreachable, .incompatible, .executing,
        .failed, .rejected:
        break
      }
      state.lastOutcome = (error, now)
      defer { state.probeObservers = [] }
      return ProbeOutcome(observers: state.probeObservers, error: state.defect ?? error)
    }
  }

  /// Rejects everything from now on, because the file is damaged; only a restart of the store ends
  /// this.
  ///
  /// Sign-ups in the queue may still be stored.
  func reject() {
    state.withLock { state in
      if !state.isFinal { state.defect = .damaged }
      state.isFinal = true
    }
  }

  /// Records that the files are closed, and returns the waiting observers, which the caller
  /// notifies.
  func finishClosing(isDamaged: Bool) -> [Observer<Never, Never>] {
    state.withLock { state in
      state.isClosed = true
      if isDamaged { state.defect = .damaged }
      defer { state.closers = [] }
      return state.closers
    }
  }
}
