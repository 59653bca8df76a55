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
      history.last.map { pages.thanks.response(for: id, after: $0.message, in: texts) }
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
      let point = ResumePoint(of: id, history: history, isConfirmationAwaited: waits)
      switch point.start(at: StreamCursor(of: request)) {
      case .over:
        // A 204 stops an EventSource from reconnecting.
        return Response(status: .noContent)
      case .from(let sequence, let reset):
        let messages = (executions.events(of: id) ?? Signal(history))
          .filter { $0.message.sequence >= sequence }
          .map(\.executionBlock)
        let events =
          waits
          ? messages.concat(confirmations.confirmation(of: id).map(id.confirmedBlock)) : messages
        return EventStream(events, opening: reset).response
      }
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
    dependencies.store.hasStored(id).subscribe(
      next: { respond($0 ? StatusEvent.stored(id) : nil) },
      failed: { [storage] error in
        storage.readingFailed(error)
        reject(exchange, error.problem)
      }
    )
  }
}

/// The point at which a client resumes the stream of one execution.
///
/// The messages are numbered: 1 is `started`, 2 is the end, 3 is `confirmed`, for which a client
/// may wait after `completed`.
struct ResumePoint {
  /// The start of a client's stream.
  enum Start {
    /// The stream starts at a message; a `reset` event precedes it if the cursor was unusable.
    case from(Int, reset: ServerSentEvent?)
    /// The client has already seen the end.
    case over
  }

  private let id: ExecutionID
  private let lastSequence: Int
  /// The position of the last message that the stream can have.
  private let finalSequence: Int

  init(of id: ExecutionID, history: [StatusEvent], isConfirmationAwaited: Bool) {
    self.id = id
    lastSequence = history.last?.message.sequence ?? 0
    finalSequence =
      isConfirmationAwaited && history.last?.message != .failed
      ? StatusMessage.confirmedSequence : StatusMessage.completed.sequence
  }

  /// Returns the start of the stream for a client with a cursor.
  func start(at cursor: StreamCursor) -> Start {
    switch cursor {
    case .none, .earliest: return .from(1, reset: nil)
    case .malformed: return .from(1, reset: reset("invalid"))
    case .after(let epoch, let position):
      guard epoch == id.epoch else { return .from(1, reset: reset("epoch")) }
      let hasEnded = lastSequence == StatusMessage.completed.sequence
      if hasEnded, position >= UInt64(finalSequence) { return .over }
      guard position <= UInt64(lastSequence) else { return .from(1, reset: reset("invalid")) }
      return .from(Int(position) + 1, reset: nil)
    }
  }

  private func reset(_ reason: String) -> ServerSentEvent? {
    .reset(reason, before: 1, from: 1, epoch: id.epoch)
  }
}
