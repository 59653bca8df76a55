internal import Dispatch
internal import Locks
internal import MailingList
internal import Signals

/// What the writer is to do next.
enum WriterTask: Sendable {
  /// Store these, in one transaction.
  case store([QueuedSignUp])
  /// Find out whether anything can be stored.
  case probe
  /// Lend the connection.
  case access(ConnectionAccess)
  /// Tell these that no sign-up waits for its outcome any more.
  case finished([Observer<Never, Never>])
  /// Close the files; nothing comes after it.
  case close
}

/// Those who asked whether the store can store, and the response.
struct ProbeOutcome: Sendable {
  let observers: [Observer<Never, StoreError>]
  let error: StoreError?

  /// Tells all of them.
  func send() {
    for observer in observers {
      if let error { observer.fail(error) } else { observer.complete() }
    }
  }
}

/// What stands between those who call the store and the writer's thread.
///
/// Callers add under the lock and never wait; only the writer does, in ``next()``, on a semaphore
/// that is signaled when it waits and not otherwise.
final class WriterQueue: Sendable {
  private struct State {
    /// What waits, in batches of which only the last may have room.
    var batches: [[QueuedSignUp]] = []
    var count = 0
    var accesses: [ConnectionAccess] = []
    /// Who waits for the outcome of a transaction, whichever comes first.
    var probeObservers: [Observer<Never, StoreError>] = []
    /// Who waits for the outcomes of all sign-ups.
    var finishers: [Observer<Never, Never>] = []
    /// Who waits for the files to be closed.
    var closers: [Observer<Never, Never>] = []
    var lastOutcome: (error: StoreError?, at: Duration)?
    /// A failure that only a committed sign-up proves to be over, or nothing at all.
    var defect: StoreError?
    /// Whether no more sign-ups are accepted.
    var isFinishing = false
    var isClosing = false
    var isClosed = false
    var isWriterWaiting = false

    /// Whether the writer has to be woken; it is, once.
    mutating func wakesWriter() -> Bool {
      defer { isWriterWaiting = false }
      return isWriterWaiting
    }
  }

  private let maximumBatch: Int
  private let maximumQueued: Int
  private let state = Lock(State())
  private let wakeUp = DispatchSemaphore(value: 0)

  /// Makes an empty queue.
  ///
  /// - Parameters:
  ///   - maximumBatch: How many sign-ups a transaction takes, 1 or more.
  ///   - maximumQueued: How many may wait.
  init(maximumBatch: Int, maximumQueued: Int) {
    self.maximumBatch = max(1, maximumBatch)
    self.maximumQueued = maximumQueued
  }

  /// Takes a sign-up in.
  ///
  /// - Parameter request: What to store, and who is told.
  /// - Returns: Why it was not taken; `nil` when it was.
  func add(_ request: QueuedSignUp) -> StoreError? {
    let (error, wakes): (StoreError?, Bool) = state.withLock { state in
      if state.isFinishing { return (.closed, false) }
      if state.defect == .replaced { return (.replaced, false) }
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

  /// Has the writer lend its connection.
  func add(_ access: ConnectionAccess) {
    let wakes = state.withLock { state in
      state.accesses.append(access)
      return state.wakesWriter()
    }
    if wakes { wakeUp.signal() }
  }

  /// Tells whether the store can store, now or after the next transaction.
  ///
  /// - Parameters:
  ///   - observer: Who asks.
  ///   - now: The time of the store's scheduler.
  func probe(_ observer: Observer<Never, StoreError>, now: Duration) {
    let (outcome, wakes): (Result<Void, StoreError>?, Bool) = state.withLock { state in
      if state.isClosing { return (.failure(.closed), false) }
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

  /// Takes no more in, and has the writer close when all is stored.
  ///
  /// - Parameter observer: Who is told when the files are closed, if anybody.
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

  /// Accepts no more sign-ups.
  ///
  /// - Parameter observer: Told by the writer when each sign-up has its outcome.
  func finish(_ observer: Observer<Never, Never>) {
    let (isClosed, wakes) = state.withLock { state in
      state.isFinishing = true
      if !state.isClosed { state.finishers.append(observer) }
      return (state.isClosed, state.wakesWriter())
    }
    if wakes { wakeUp.signal() }
    if isClosed { observer.complete() }
  }

  /// Takes out all sign-ups that have no transaction yet.
  ///
  /// - Returns: Those that are not stored any more; the caller tells them.
  func removeAll() -> [QueuedSignUp] {
    state.withLock { state in
      state.count = 0
      defer { state.batches = [] }
      return state.batches.flatMap(\.self)
    }
  }

  /// Waits for something to do; called by the writer alone, which has sent the outcomes of its last
  /// transaction by then.
  ///
  /// - Returns: What to do: sign-ups first, which answer those who ask as well.
  func next() -> WriterTask {
    while true {
      let task: WriterTask? = state.withLock { state in
        if !state.accesses.isEmpty { return .access(state.accesses.removeFirst()) }
        if !state.batches.isEmpty {
          let batch = state.batches.removeFirst()
          state.count -= batch.count
          return .store(batch)
        }
        if !state.finishers.isEmpty {
          defer { state.finishers = [] }
          return .finished(state.finishers)
        }
        if !state.probeObservers.isEmpty { return .probe }
        if state.isClosing { return .close }
        state.isWriterWaiting = true
        return nil
      }
      if let task { return task }
      wakeUp.wait()
    }
  }

  /// Remembers how a transaction ended.
  ///
  /// - Parameters:
  ///   - error: Why it failed; `nil` when it was committed.
  ///   - isProbe: Whether it held no sign-up. After some failures a probe proves nothing: it writes one
  ///     page, and the others may be the damaged ones.
  ///   - now: The time of the store's scheduler.
  /// - Returns: Those who asked meanwhile, and what they are told; the caller tells them.
  func record(_ error: StoreError?, isProbe: Bool = false, now: Duration) -> ProbeOutcome {
    state.withLock { state in
      switch (state.defect, error) {
      case (.replaced, _): break
      case (_, .damaged), (_, .readOnly), (_, .replaced): state.defect = error
      case (_, nil) where !isProbe: state.defect = nil
      case (_, nil), (_, .full), (_, .locked), (_, .overloaded), (_, .closed), (_, .failed): break
      }
      state.lastOutcome = (error, now)
      defer { state.probeObservers = [] }
      return ProbeOutcome(observers: state.probeObservers, error: state.defect ?? error)
    }
  }

  /// Remembers that the files are closed.
  ///
  /// - Returns: Those who waited for it; the caller tells them.
  func finishClosing() -> [Observer<Never, Never>] {
    state.withLock { state in
      state.isClosed = true
      defer { state.closers = [] }
      return state.closers
    }
  }
}
