internal import EmailAddresses
internal import Signals
internal import MailingList

/// The next task of the writer.
enum WriterTask: Sendable {
  /// Make the connection ready by a deadline, then store queued work.
  case store(until: ContinuousClock.Instant)
  /// Notify these observers that every sign-up has its outcome.
  case finished([Observer<Never, Never>])
  /// Close the connection; this is the last task.
  case close
  /// Wait until there is work.
  case wait
}

/// The queue between the callers of the store and the writer's thread.
///
/// Callers add work under the lock and never wait. The writer waits for ``wakeUp`` and its socket
/// together; added work signals ``wakeUp`` only while the writer is waiting.
final class WriterQueue: Sendable {
  private struct State {
    /// The queued sign-ups in batches, in the order of their arrival; no batch contains a key
    /// twice.
    var batches: [[QueuedSignUp]] = []
    /// The keys of the last batch.
    var lastKeys: Set<String> = []
    var count = 0
    var changes: [QueuedChange] = []
    /// The observers of the next result, regardless of the work that is stored.
    var probes: [Observer<Never, StoreError>] = []
    /// The end of the probes' wait.
    var probesUntil: ContinuousClock.Instant?
    var finishers: [Observer<Never, Never>] = []
    /// The number of threads that are sending an error to removed work.
    var failingCount = 0
    var closers: [Observer<Never, Never>] = []
    var lastOutcome: (error: StoreError?, at: ContinuousClock.Instant)?
    /// The reason why there is no connection; `nil` while there is one.
    var connectionError: StoreError?
    /// The time after which no sign-up is sent, because the store is finishing.
    var endsAt: ContinuousClock.Instant?
    var isFinishing = false
    var isClosing = false
    var isClosed = false
    var isWriterWaiting = false

    /// Returns whether the writer is waiting, and marks it as awake, so that it is woken only once.
    mutating func wakesWriter() -> Bool {
      defer { isWriterWaiting = false }
      return isWriterWaiting
    }

    /// Removes the sign-ups whose wait has ended.
    mutating func removeExpired(_ now: ContinuousClock.Instant) -> [QueuedSignUp] {
      var signUps: [QueuedSignUp] = []
      // Sign-ups arrive in the order of their deadlines.
      while let batch = batches.first {
        let count = batch.prefix { $0.deadline <= now }.count
        signUps += batch[..<count]
        if count < batch.count {
          if count > 0 { batches[0].removeFirst(count) }
          break
        }
        batches.removeFirst()
      }
      if batches.isEmpty { lastKeys = [] }
      count -= signUps.count
      return signUps
    }
  }

  /// The maximum number of sign-ups in a batch; limited because each holds a lock of the server
  /// until its commit.
  static let maximumBatch = 128
  /// The maximum number of changes between two batches; limited because sign-ups wait for them.
  private static let maximumChanges = 4

  private let maximumQueued: Int
  private let timeout: Duration
  private let state = Lock(State())

  /// The descriptor that ends the writer's wait.
  let wakeUp = WakeUp()

  init(maximumQueued: Int, timeout: Duration) {
    self.maximumQueued = maximumQueued
    self.timeout = timeout
  }
}

// MARK: - For callers

extension WriterQueue {
  /// The number of sign-ups that are waiting for a batch.
  var signUpCount: Int { state.withLock { $0.count } }

  /// Adds a sign-up to the queue; returns the reason for a rejection, or `nil`.
  ///
  /// A rejected sign-up sends no outcome.
  func add(_ signUp: SignUp, _ observer: Observer<Never, StoreError>) -> StoreError? {
    let member = QueuedSignUp(signUp, observer, until: .now + timeout)
    return add { (state) -> StoreError? in
      if state.isFinishing { return .closed }
      if state.count >= self.maximumQueued { return .overloaded }
      state.count += 1
      let key = signUp.address.key
      if let last = state.batches.indices.last, state.batches[last].count < Self.maximumBatch,
        state.lastKeys.insert(key).inserted
      {
        state.batches[last].append(member)
      } else {
        state.batches.append([member])
        state.lastKeys = [key]
      }
      return nil
    }
  }

  /// Adds a change to the queue, even while the store is finishing, so that mails can be settled.
  ///
  /// Returns the reason for a rejection, or `nil`; a rejected change sends no outcome.
  ///
  /// - Parameter body: Makes the change, on the writer's thread.
  func add<Value: Sendable>(
    _ observer: Observer<Value, StoreError>,
    _ body: @escaping @Sendable (ListWriter) throws(StoreError) -> Value
  ) -> StoreError? {
    let change = QueuedChange(until: .now + timeout, observer, body)
    return add { (state) -> StoreError? in
      if state.isClosing { return .closed }
      if state.changes.count >= self.maximumQueued { return .overloaded }
      state.changes.append(change)
      return nil
    }
  }

  /// Returns a cold signal that queues a change at each subscription, and sends the result when it
  /// is durable.
  ///
  /// Disposing the subscription does not cancel the change.
  ///
  /// - Parameter body: Makes the change, on the writer's thread.
  func change<Value: Sendable>(
    _ body: @escaping @Sendable (ListWriter) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError> {
    Signal { observer in
      if let error = self.add(observer, body) { observer.fail(error) }
      return nil
    }
  }

  /// Reports whether the store accepts writes, now or after the next statement.
  func probe(_ observer: Observer<Never, StoreError>) {
    let now = ContinuousClock.now
    let (outcome, wakes): (Result<Void, StoreError>?, Bool) = state.withLock { state in
      if state.isClosing { return (.failure(.closed), false) }
      if let error = state.connectionError { return (.failure(error), false) }
      if let last = state.lastOutcome, now - last.at < .seconds(1) {
        return (last.error.map { .failure($0) } ?? .success(()), false)
      }
      if state.probes.isEmpty { state.probesUntil = now + timeout }
      state.probes.append(observer)
      return (nil, state.wakesWriter())
    }
    if wakes { wakeUp.signal() }
    switch outcome {
    case .success: observer.complete()
    case .failure(let error): observer.fail(error)
    case nil: break
    }
  }

  /// Stops accepting sign-ups.
  ///
  /// - Parameter observer: Notified when every sign-up has its outcome.
  func finish(by deadline: ContinuousClock.Instant, _ observer: Observer<Never, Never>) {
    let isClosed = state.withLock { state in
      state.isFinishing = true
      state.endsAt = deadline
      if !state.isClosed { state.finishers.append(observer) }
      state.isWriterWaiting = false
      return state.isClosed
    }
    wakeUp.signal()
    if isClosed { observer.complete() }
  }

  /// Stops accepting any work, and makes the writer close when everything has its outcome.
  ///
  /// - Parameter observer: Notified when the connection is closed.
  func close(_ observer: Observer<Never, Never>? = nil) {
    let isClosed = state.withLock { state in
      state.isFinishing = true
      state.isClosing = true
      if let observer, !state.isClosed { state.closers.append(observer) }
      state.isWriterWaiting = false
      return state.isClosed
    }
    wakeUp.signal()
    if isClosed { observer?.complete() }
  }

  /// Removes and returns all queued work, which will not be stored; the caller notifies the
  /// observers.
  private func removeAll() -> WriteBatch {
    defer { wakeUp.signal() }
    return state.withLock { state in
      defer {
        state.batches = []
        state.lastKeys = []
        state.count = 0
        state.changes = []
        state.probes = []
        state.isWriterWaiting = false
      }
      return WriteBatch(
        signUps: state.batches.flatMap(\.self), changes: state.changes, probes: state.probes)
    }
  }

  /// Removes all queued work, and sends it an error.
  ///
  /// The queue is not finished until every observer has received the error, on whichever thread.
  func failAll(_ error: StoreError) {
    state.withLock { $0.failingCount += 1 }
    removeAll().fail(error)
    state.withLock { state in
      state.failingCount -= 1
      state.isWriterWaiting = false
    }
    wakeUp.signal()
  }

  private func add(_ body: (inout State) -> StoreError?) -> StoreError? {
    let (error, wakes): (StoreError?, Bool) = state.withLock { state in
      if let error = body(&state) { return (error, false) }
      return (nil, state.wakesWriter())
    }
    if wakes { wakeUp.signal() }
    return error
  }
}

// MARK: - For the writer

extension WriterQueue {
  /// Returns the next task.
  ///
  /// Only the writer calls this function, after sending the outcomes of stored work.
  func next() -> WriterTask {
    state.withLock { state in
      let deadlines = [
        state.batches.first?.first?.deadline, state.changes.first?.deadline,
        state.probes.isEmpty ? nil : state.probesUntil,
      ]
      if let deadline = deadlines.compactMap(\.self).min() {
        return .store(until: min(deadline, state.endsAt ?? deadline))
      }
      if !state.finishers.isEmpty, state.failingCount == 0 {
        defer { state.finishers = [] }
        return .finished(state.finishers)
      }
      if state.isClosing, state.failingCount == 0 { return .close }
      state.isWriterWaiting = true
      return .wait
    }
  }

  /// The deadline of the oldest queued sign-up; `nil` if there is none.
  var oldestDeadline: ContinuousClock.Instant? {
    state.withLock { $0.batches.first?.first?.deadline }
  }

  /// Takes a batch of sign-ups, a few changes, and all probes.
  ///
  /// The result also contains the sign-ups whose wait has ended, and the reason; the writer
  /// notifies all observers.
  func take(
    at now: ContinuousClock.Instant
  ) -> (batch: WriteBatch, expired: WriteBatch, error: StoreError) {
    state.withLock { state in
      let expired = state.removeExpired(now)
      let signUps = state.batches.isEmpty ? [] : state.batches.removeFirst()
      if state.batches.isEmpty { state.lastKeys = [] }
      state.count -= signUps.count
      let changes = Array(state.changes.prefix(Self.maximumChanges))
      state.changes.removeFirst(changes.count)
      defer { state.probes = [] }
      return (
        WriteBatch(signUps: signUps, changes: changes, probes: state.probes),
        WriteBatch(signUps: expired, changes: [], probes: []),
        state.lastOutcome?.error ?? .overloaded
      )
    }
  }

  /// Puts a change back, because its connection was lost before it was stored.
  func putBack(_ change: QueuedChange) {
    state.withLock { $0.changes.insert(change, at: 0) }
  }

  /// Removes and returns the work whose wait has ended, or all work once the store has finished;
  /// the writer notifies the observers.
  func expire(_ time: ContinuousClock.Instant) -> WriteBatch {
    state.withLock { state in
      let hasEnded = state.endsAt.map { $0 <= time } ?? false
      let now = hasEnded ? time + .seconds(86_400) : time
      let signUps = state.removeExpired(now)
      let changes = Array(state.changes.prefix { $0.deadline <= now })
      state.changes.removeFirst(changes.count)
      var probes: [Observer<Never, StoreError>] = []
      if let until = state.probesUntil, until <= now { swap(&probes, &state.probes) }
      return WriteBatch(signUps: signUps, changes: changes, probes: probes)
    }
  }

  /// The time after which no sign-up is sent; `nil` while the store is not finishing.
  var endsAt: ContinuousClock.Instant? { state.withLock { $0.endsAt } }

  /// Records whether there is a connection; returns the observers of a probe, which the writer
  /// notifies.
  func setConnectionError(_ error: StoreError?) -> [Observer<Never, StoreError>] {
    state.withLock { state in
      state.connectionError = error
      guard error != nil else { return [] }
      defer { state.probes = [] }
      return state.probes
    }
  }

  /// Records the result of a statement.
  ///
  /// - Parameter error: The reason why nothing was stored; `nil` when the work was stored.
  func record(_ error: StoreError?) {
    state.withLock { $0.lastOutcome = (error, .now) }
  }

  /// Records that the connection is closed, and returns the waiting observers, which the writer
  /// notifies.
  func finishClosing() -> [Observer<Never, Never>] {
    state.withLock { state in
      state.isClosed = true
      defer {
        state.closers = []
        state.finishers = []
      }
      return state.closers + state.finishers
    }
  }
}
