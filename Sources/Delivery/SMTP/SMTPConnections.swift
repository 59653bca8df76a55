internal import Signals

/// The connections to a relay, and the mails that wait for one.
final class SMTPConnections: Sendable {
  private struct State {
    /// Idle connections; the most recently used one is reused first, so that others may close.
    var idle: [SMTPConversation] = []
    /// The number of connections, idle or not.
    var count = 0
    /// The waiting and the running attempts.
    var attempts: [ObjectIdentifier: SMTPAttempt] = [:]
    var isClosed = false
    /// Called when no connection and no attempt is left.
    var closed: [@Sendable () -> Void] = []
  }

  private let settings: SMTPSettings
  private let deliveries = Subject<Signal<Never, Never>, Never>()
  private let state = Lock(State())

  init(_ settings: SMTPSettings) {
    self.settings = settings
    // The outbox relay limits the number of mails that wait.
    deliveries.signal.flatten(maxConcurrent: settings.connectionCount).subscribe()
  }

  /// Runs an attempt on an idle or new connection, once fewer than the maximum are running.
  func submit(_ attempt: SMTPAttempt) {
    let isAccepted = state.withLock { state in
      if !state.isClosed { state.attempts[ObjectIdentifier(attempt)] = attempt }
      return !state.isClosed
    }
    guard isAccepted else { return attempt.end(.failure(.relayUnavailable(.init(step: .connect)))) }
    deliveries.send(
      Signal { observer in
        let connection = self.connection()
        connection.scheduler.schedule {
          let result = Result { () throws(DeliveryError) in try connection.deliver(attempt) }
          // In this order, so that a mail that follows the result runs on this connection.
          self.release(connection)
          observer.complete()
          attempt.end(result)
          self.update { $0.attempts[ObjectIdentifier(attempt)] = nil }
        }
      }
    )
  }

  /// Rejects new attempts, cancels the others, and closes all connections.
  ///
  /// - Parameter closed: Called when all connections are closed and all attempts have ended.
  func close(_ closed: @escaping @Sendable () -> Void) {
    let (attempts, idle) = state.withLock { state in
      defer {
        state.isClosed = true
        state.idle = []
      }
      return (Array(state.attempts.values), state.idle)
    }
    for attempt in attempts { attempt.cancel() }
    for connection in idle { connection.scheduler.schedule { self.retire(connection) } }
    update { $0.closed.append(closed) }
  }

  private func connection() -> SMTPConversation {
    let idle = state.withLock { state in
      if state.idle.isEmpty { state.count += 1 }
      return state.idle.popLast()
    }
    idle?.idleEnd.replace(with: nil)
    return idle ?? SMTPConversation(settings)
  }

  /// Keeps a connection for the next mail; called on its scheduler, as is ``retire(_:)``.
  private func release(_ connection: SMTPConversation) {
    connection.idleEnd.replace(
      with: connection.scheduler.schedule(after: settings.idleTimeout) {
        let isIdle = self.state.withLock { state in
          let index = state.idle.firstIndex { $0 === connection }
          if let index { state.idle.remove(at: index) }
          return index != nil
        }
        if isIdle { self.retire(connection) }
      }
    )
    let isClosed = state.withLock { state in
      if !state.isClosed { state.idle.append(connection) }
      return state.isClosed
    }
    if isClosed { retire(connection) }
  }

  private func retire(_ connection: SMTPConversation) {
    connection.idleEnd.dispose()
    connection.close()
    update { $0.count -= 1 }
  }

  /// Changes the state, and reports when nothing is left to close.
  private func update(_ change: (inout State) -> Void) {
    let closed: [@Sendable () -> Void] = state.withLock { state in
      change(&state)
      guard state.isClosed, state.count == 0, state.attempts.isEmpty else { return [] }
      defer { state.closed = [] }
      return state.closed
    }
    for notify in closed { notify() }
  }
}
