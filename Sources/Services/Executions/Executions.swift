internal import HTTPSignals
internal import HTTPTypes
internal import MailingList
internal import Signals

/// The handlers of an execution: knowing its id is the only credential.
extension SignUpService {
  /// The query parameter, which is looked up like the name of a field.
  private static let until = HTTPField.Name(literal: "until")

  /// `GET /executions/{id}`: the state of an execution.
  func showExecution(_ routed: RoutedExchange) throws(ProblemDetails) {
    try find(routed) { id, history in
      history.last.map { .json(.ok, .snapshot(of: id.description, after: $0.message)) }
    }
  }

  /// `GET /thanks/{id}`: the same as a page.
  func thank(_ routed: RoutedExchange) throws(ProblemDetails) {
    let texts = texts(of: routed.exchange.request)
    try find(routed) { [pages] id, history in
      history.last.map { pages.thanks(for: id, after: $0.message, in: texts) }
    }
  }

  /// `GET /executions/{id}/events`: the messages of an execution; with `?until=confirmed` the stream
  /// does not end before the owner has confirmed.
  func streamExecution(_ routed: RoutedExchange) throws(ProblemDetails) {
    let request = routed.exchange.request
    guard streamLimiter.admitsStream(routed.exchange, at: dependencies.now()) else { return }
    let waits =
      dependencies.sendsConfirmedEvent && pages.nextStep != .none
      && request.query.first(Self.until) == "confirmed"
    try find(routed, unreadable: { $0.postponeStream($1) }) { [self] id, history in
      let cursor = StreamCursor(of: request)
      // A 204 stops an EventSource from reconnecting.
      guard let (first, reset) = cursor.start(in: history, of: id, isConfirmationAwaited: waits)
      else { return Response(status: .noContent) }
      let messages = (executions.events(of: id) ?? Signal(history))
        .filter { $0.message.sequence >= first }
        .map(\.executionBlock)
      let events =
        waits
        ? messages.concat(confirmations.confirmation(of: id).map(id.confirmedBlock)) : messages
      return EventStream(events, opening: reset).response
    }
  }

  /// Finds the messages of the execution in the path, and responds.
  ///
  /// An execution that the process no longer remembers exists only if its sign-up was stored, so
  /// the store decides; `reject` responds if it cannot be read.
  private func find(
    _ routed: RoutedExchange,
    unreadable reject: @escaping @Sendable (Exchange, ProblemDetails) -> Void = { $0.respond($1) },
    _ response: @escaping @Sendable (ExecutionID, [StatusEvent]) -> Response?
  ) throws(ProblemDetails) {
    guard let id = routed["id"].flatMap({ ExecutionID($0) }), id.isKnown(at: dependencies.now())
    else { throw .notFound }
    let exchange = routed.exchange
    @Sendable func respond(_ history: [StatusEvent]?) {
      if let response = history.flatMap({ response(id, $0) }) {
        exchange.respond(response)
      } else {
        exchange.respond(.notFound)
      }
    }
    if let history = executions.history(of: id) { return respond(history) }
    counted(dependencies.store.hasStored(id)).subscribe(
      next: { respond($0 ? StatusEvent.stored(id) : nil) }, failed: { reject(exchange, $0) })
  }
}

extension StreamCursor {
  /// Returns the first message of an execution's stream, and the `reset` event that precedes it if
  /// the cursor is unusable; `nil` if the client has already seen the end.
  ///
  /// The messages are numbered: 1 is `started`, 2 is the end, 3 is `confirmed`, for which a client
  /// may wait after `completed`.
  fileprivate func start(
    in history: [StatusEvent], of id: ExecutionID, isConfirmationAwaited: Bool
  ) -> (first: Int, reset: ServerSentEvent?)? {
    func reset(_ reason: String) -> (first: Int, reset: ServerSentEvent?) {
      (1, .reset(reason, before: 1, from: 1, epoch: id.epoch))
    }
    let last = history.last?.message
    let lastSequence = last?.sequence ?? 0
    switch self {
    case .none, .earliest: return (1, nil)
    case .malformed: return reset("invalid")
    case .after(let epoch, let position):
      guard epoch == id.epoch else { return reset("epoch") }
      // The last message that the stream can have.
      let end =
        isConfirmationAwaited && last != .failed
        ? StatusMessage.confirmedSequence : StatusMessage.completed.sequence
      let hasEnded = lastSequence == StatusMessage.completed.sequence
      if hasEnded, position >= UInt64(end) { return nil }
      guard position <= UInt64(lastSequence) else { return reset("invalid") }
      return (Int(position) + 1, nil)
    }
  }
}

/// The streams that wait for the owners of addresses to confirm.
///
/// They hear of confirmations in this process, and read those that precede their wait. The store
/// reports confirmations by other services that share the list.
final class ConfirmationWatch: Sendable {
  private let store: any ListStore
  private let now: @Sendable () -> Timestamp
  private let confirmations = Subject<(subscriber: Int64, time: Timestamp), Never>()

  init(store: any ListStore, now: @escaping @Sendable () -> Timestamp) {
    self.store = store
    self.now = now
  }

  /// Returns a signal of the confirmation that follows an execution.
  ///
  /// A confirmation before the execution began does not count, so that a sign-up of a subscriber
  /// waits like any other. The signal is cold; it sends the time of the confirmation and completes,
  /// without a value if the sign-up was not stored, or cannot be read.
  func confirmation(of id: ExecutionID) -> Signal<Timestamp, Never> {
    membership(of: id)
      .flatMap { [self] membership in
        let subscriber = membership.subscriberID
        // Subscribed before the second read, so that no confirmation is missed between the two.
        return Signal.merge(
          confirmations.signal.compactMap { $0.subscriber == subscriber ? $0.time : nil },
          store.sharedStatusLog?.confirmation(of: subscriber, after: id.madeAt) ?? .empty,
          self.membership(of: id).compactMap { membership in
            membership.confirmedAt.flatMap { $0 > id.madeAt ? $0 : nil }
          }
        )
      }
      .take(1)
  }

  /// Sends a confirmation to the streams that wait for it.
  func confirmed(_ subscriber: Int64, at time: Timestamp) {
    confirmations.send((subscriber, time))
  }

  private func membership(of id: ExecutionID) -> Signal<ExecutionMembership, Never> {
    store.read { [now] list throws(StoreError) in try list.membership(of: id, at: now()) }
      .catch { _ in .empty }.compactMap(\.self)
  }
}
