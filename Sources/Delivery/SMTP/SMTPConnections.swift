internal import Dispatch
internal import Locks
internal import Threads

/// The connections to a relay, and the mails that wait for one.
final class SMTPConnections: Sendable {
  /// The maximum number of mails that wait for a connection; the outbox relay never reaches it.
  private static let maximumWaiting = 64

  private struct State {
    /// The number of threads.
    var count = 0
    /// Idle connections; the most recently used one is reused first, so that others may close.
    var idle: [SMTPConnection] = []
    var waiting: [SMTPAttempt] = []
    var running: [ObjectIdentifier: SMTPAttempt] = [:]
    var isClosed = false
    /// Called when the last thread ends.
    var closed: [@Sendable () -> Void] = []
  }

  private let settings: SMTPSettings
  private let state = Lock(State())

  init(_ settings: SMTPSettings) {
    self.settings = settings
  }

  /// The decision about a new attempt.
  private enum Admission {
    case wake(SMTPConnection)
    case start
    case wait
    case reject
  }

  /// Runs an attempt on an idle or new connection, queues it, or rejects it.
  func submit(_ attempt: SMTPAttempt) {
    let admission: Admission = state.withLock { state in
      if state.isClosed || state.waiting.count >= Self.maximumWaiting { return .reject }
      if let connection = state.idle.popLast() {
        state.running[ObjectIdentifier(connection)] = attempt
        return .wake(connection)
      }
      state.waiting.append(attempt)
      guard state.count < settings.connectionCount else { return .wait }
      state.count += 1
      return .start
    }
    switch admission {
    case .wake(let connection): connection.semaphore.signal()
    case .start:
      if !NamedThread.start("smtp", { self.run() }) { threadFailed() }
    case .wait: break
    case .reject: attempt.end(.failure(Self.unavailable))
    }
  }

  /// Rejects new and waiting attempts, cancels the running ones, and closes all connections.
  ///
  /// - Parameter closed: Called when all connections are closed.
  func close(_ closed: @escaping @Sendable () -> Void) {
    let (running, waiting, idle, isOver) = state.withLock { state in
      defer {
        state.isClosed = true
        state.waiting = []
        state.idle = []
        if state.count > 0 { state.closed.append(closed) }
      }
      return (Array(state.running.values), state.waiting, state.idle, state.count == 0)
    }
    for attempt in running { attempt.cancel() }
    for attempt in waiting { attempt.end(.failure(Self.unavailable)) }
    for connection in idle { connection.semaphore.signal() }
    if isOver { closed() }
  }

  private static var unavailable: DeliveryError {
    .relayUnavailable(DeliveryFailure(step: .connect))
  }

  /// Fails the waiting attempts if a thread could not be started, unless another thread will run
  /// them.
  private func threadFailed() {
    let (failed, closed) = state.withLock { state in
      state.count -= 1
      defer {
        if state.count == 0 {
          state.waiting = []
          state.closed = []
        }
      }
      return state.count == 0 ? (state.waiting, state.closed) : ([], [])
    }
    for attempt in failed { attempt.end(.failure(Self.unavailable)) }
    for notify in closed { notify() }
  }

  // MARK: The thread of a connection

  private func run() {
    repeat {
      let connection = SMTPConnection(settings)
      var finished: (@Sendable () -> Void)?
      while let attempt = next(for: connection, finished) {
        let result = connection.deliver(attempt)
        finished = { attempt.end(result) }
      }
      connection.close()
    } while !retire()
  }

  /// Waits for the next attempt on the calling thread's connection; `nil` if it must close.
  ///
  /// - Parameter finished: Reports the result of the previous attempt. It is called after the
  ///   connection has become free, so that a mail that follows the result runs on this connection.
  private func next(
    for connection: SMTPConnection,
    _ finished: (@Sendable () -> Void)?
  ) -> SMTPAttempt? {
    let id = ObjectIdentifier(connection)
    let hasNext = state.withLock { state in
      state.running[id] = nil
      if state.isClosed { return true }
      guard !state.waiting.isEmpty else {
        state.idle.append(connection)
        return false
      }
      state.running[id] = state.waiting.removeFirst()
      return true
    }
    finished?()
    if !hasNext, connection.semaphore.wait(timeout: .now() + idleTimeout) == .timedOut {
      let isStillIdle = state.withLock { state in
        guard let index = state.idle.firstIndex(where: { $0 === connection }) else { return false }
        state.idle.remove(at: index)
        return true
      }
      if isStillIdle { return nil }
      // An attempt arrived at the last moment, and its signal follows.
      connection.semaphore.wait()
    }
    return state.withLock { $0.running[id] }
  }

  /// Removes the calling thread from the count, unless attempts arrived while its connection was
  /// closing, and returns whether the thread must end.
  private func retire() -> Bool {
    let closed: [@Sendable () -> Void]? = state.withLock { state in
      guard state.waiting.isEmpty else { return nil }
      state.count -= 1
      guard state.count == 0 else { return [] }
      defer { state.closed = [] }
      return state.closed
    }
    guard let closed else { return false }
    for notify in closed { notify() }
    return true
  }

  private var idleTimeout: DispatchTimeInterval {
    .milliseconds(settings.idleTimeout.milliseconds)
  }
}
