internal import HTTPSignals
internal import Signals
internal import MailingList

/// This service's copy of the newest messages of a status log that several services share.
///
/// The replica contains committed messages, at the positions that all services share. When the
/// positions begin again, it continues with another log, and the streams of the old one end.
final class SharedStatusReplica: Sendable {
  private struct State {
    var log: StatusLog
    /// Whether a change was received; before that, no cursor can be checked.
    var hasBegun = false
  }

  private let shared: any SharedStatusLog
  private let history: Int
  private let state: Lock<State>

  init(of shared: any SharedStatusLog, history: Int) {
    self.shared = shared
    self.history = history
    state = Lock(State(log: StatusLog(capacity: history)))
    shared.follow(history: history) { [weak self] change in self?.receive(change) }
  }

  /// Adds the end of a failed execution, which no service stores; all other messages come from the
  /// store.
  func add(_ event: StatusEvent) {
    switch event.message {
    case .started, .completed: break
    case .failed: shared.add(StatusPayload.failure(of: event.execution, at: event.time))
    }
  }

  /// Creates the stream for a client, from the position after its cursor.
  ///
  /// The stream waits for a cursor that is ahead, since another service may have sent that event.
  ///
  /// - Parameters:
  ///   - grant: Limits the events that were sent before.
  ///   - open: Called once with the stream, possibly later and on another thread.
  func stream(
    from cursor: StreamCursor, _ grant: @escaping ReplayLimit.Grant,
    _ open: @escaping @Sendable (EventStream) -> Void
  ) {
    let missing = state.withLock { state in
      // The log has begun once any position was received.
      state.hasBegun ? state.log.missingPosition(of: cursor) : cursor.position ?? 0
    }
    guard let missing else { return open(log.stream(from: cursor, grant)) }
    shared.catchUp(to: missing).subscribe(completed: { open(self.log.stream(from: cursor, grant)) })
  }

  private var log: StatusLog { state.withLock { $0.log } }

  /// Handles a change; called by one thread.
  private func receive(_ change: SharedStatusChange) {
    switch change {
    case .began(let epoch, let next, let reason):
      let log = StatusLog(capacity: history, epoch: epoch, first: max(next, 1))
      let old = state.withLock { state in
        defer { state = State(log: log, hasBegun: true) }
        return state.log
      }
      // Streams that were opened too early do not have the epoch of any log.
      old.end(reason ?? .epoch, continuedBy: log)
    case .messages(let payloads):
      let log = log
      for payload in payloads { log.append(payload) }
    }
  }
}

extension StreamCursor {
  /// The position in the cursor, if any.
  fileprivate var position: UInt64? {
    switch self {
    case .none, .earliest, .malformed: nil
    case .after(_, let position): position
    }
  }
}
