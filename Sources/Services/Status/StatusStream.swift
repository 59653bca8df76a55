internal import HTTPSignals
internal import HTTPTypes
internal import MailingList
internal import Signals

extension SignUpService {
  /// `GET /status`: the status messages of all executions, merged and anonymized.
  func streamStatus(_ routed: RoutedExchange) throws(ProblemDetails) {
    let exchange = routed.exchange
    guard dependencies.isStatusStreamPublic else {
      throw ProblemDetails(ServiceProblem.streamDisabled)
    }
    guard streamLimiter.admitsStream(exchange, at: dependencies.now()) else { return }
    let request = exchange.request
    status.stream(from: StreamCursor(of: request), replayLimit.grant(for: request)) {
      exchange.respond($0.response)
    }
  }
}

/// The source of the merged status stream: the messages of this process, or the committed ones of
/// all services that share the list.
///
/// Shared messages have the same positions everywhere. When the positions begin again, the source
/// continues with another log, and the streams of the old one end.
final class StatusSource: Sendable {
  private struct State {
    var log: StatusLog
    /// Whether a change of a shared log was received; before that, no cursor can be checked.
    var hasBegun = false
  }

  private let shared: (any SharedStatusLog)?
  private let history: Int
  private let state: Lock<State>

  /// Creates the source of a service, whose store has a log if services share the list.
  init(_ store: any ListStore, history: Int, events: Signal<StatusEvent, Never>) {
    let log = StatusLog(capacity: history)
    shared = store.sharedStatusLog
    self.history = history
    state = Lock(State(log: log))
    guard let shared else {
      events.subscribe(next: log.append)
      return
    }
    shared.follow(history: history) { [weak self] change in self?.receive(change) }
    events.subscribe(next: { event in
      switch event.message {
      // The store adds them.
      case .started, .completed: break
      case .failed: shared.add(StatusPayload.failure(of: event.execution, at: event.time))
      }
    })
  }

  /// Creates the stream for a client, from the position after its cursor.
  ///
  /// A shared stream waits for a cursor that is ahead, since another service may have sent that
  /// event.
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
    guard let shared, let missing else { return open(log.stream(from: cursor, grant)) }
    shared.catchUp(to: missing).subscribe(completed: { open(self.log.stream(from: cursor, grant)) })
  }

  private var log: StatusLog { state.withLock { $0.log } }

  /// Handles a change of the shared log; called by one thread.
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

/// A limit on the old events that each client gets from the merged status stream: in ten minutes,
/// as many as the stream retains.
///
/// A request of a hundred bytes could otherwise cause a response of a megabyte each time.
final class ReplayLimit: Sendable {
  /// Returns the number of events, out of a count, that a client gets, and counts them.
  typealias Grant = @Sendable (_ count: UInt64) -> UInt64

  /// Buckets count parts of the history instead of events, because it may have millions of them.
  private static let partCount = 1024

  private let eventsPerPart: UInt64
  private let limiter: ClientRateLimiter
  private let now: @Sendable () -> Timestamp

  /// Creates a limit that no client has used; without a rate of streams, there is no limit.
  init(history: Int, streamRate: RequestRate, now: @escaping @Sendable () -> Timestamp) {
    let count = min(Self.partCount, max(history, 1))
    eventsPerPart = UInt64((history - 1) / count + 1)
    limiter = ClientRateLimiter(
      rate: streamRate == .unlimited ? .unlimited : .limited(count: count, per: .seconds(600)))
    self.now = now
  }

  /// Returns the grant for the stream of a request.
  func grant(for request: Request) -> Grant {
    // HEAD gets no event.
    guard request.method != .head else { return { $0 } }
    return { [self] count in
      let parts = (count + eventsPerPart - 1) / eventsPerPart
      let client = request.source.limitedClient
      let granted = limiter.take(upTo: Int64(clamping: parts), of: client, at: now()).count
      return min(count, UInt64(granted) * eventsPerPart)
    }
  }
}

/// The last event of a stream that a client has seen, as the client reports it.
enum StreamCursor: Hashable, Sendable {
  /// The client sends no cursor: this is its first connection.
  case none
  /// The client requests all retained events.
  case earliest
  /// The client has seen the event with this id, and all events before it.
  case after(epoch: ServerSentEvent.Token, position: UInt64)
  /// The client sends a value that is not an event id.
  case malformed

  /// The position in the cursor, if any.
  fileprivate var position: UInt64? {
    switch self {
    case .none, .earliest, .malformed: nil
    case .after(_, let position): position
    }
  }

  init(of request: Request) {
    guard let given = request.lastEventID else {
      self = .none
      return
    }
    self.init(given)
  }

  private init(_ text: String) {
    if text == "earliest" {
      self = .earliest
      return
    }
    // Check this first: a longer value can only be an attempt to make parsing expensive.
    guard ServerSentEvent.Token.isToken(text) else {
      self = .malformed
      return
    }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard
      parts.count == 2, !parts[0].isEmpty,
      let position = UInt64(parts[1]),
      position < UInt64(Int64.max)
    else {
      self = .malformed
      return
    }
    self = .after(epoch: .init(parts[0]), position: position)
  }
}
