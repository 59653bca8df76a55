internal import HTTPTypes
internal import HTTPSignals
internal import MailingList
internal import Signals

/// The handler of `GET /executions/{id}` and `GET /executions/{id}/events`.
///
/// Knowing the id of an execution is the only credential. With `?until=confirmed` the stream of an
/// execution does not end before the owner has confirmed.
struct ExecutionController: Sendable {
  let directory: ExecutionDirectory
  let store: any SubscriberStore
  let pages: Pages
  /// Waits for confirmations; `nil` if streams end with the execution.
  let watch: ConfirmationWatch?
  let streamLimiter: ClientRateLimiter
  let storage: StorageHealth
  let now: @Sendable () -> Timestamp

  /// The query parameter, which is looked up like the name of a field.
  private static let until = HTTPField.Name(literal: "until")

  @Sendable
  func show(_ routed: RoutedExchange) {
    find(routed) { id, history in
      guard let last = history.last else { return }
      routed.exchange.respond(.json(.ok, .snapshot(of: id.description, after: last.message)))
    }
  }

  @Sendable
  func stream(_ routed: RoutedExchange) {
    let exchange = routed.exchange
    guard streamLimiter.admitsStream(exchange, at: now()) else { return }
    find(routed, unreadable: { $0.postponeStream($1) }) { id, history in
      let cursor = StreamCursor(of: exchange.request)
      let watch = exchange.request.query.first(Self.until) == "confirmed" ? watch : nil
      let position = ResumePoint(of: id, history: history, isConfirmationAwaited: watch != nil)
        .start(at: cursor)
      switch position {
      case .over:
        // A 204 stops an EventSource from reconnecting.
        exchange.respond(Response(status: .noContent))
      case .from(let sequence, let reset):
        let events = (directory.events(of: id) ?? Signal(history))
          .filter { $0.message.sequence >= sequence }
          .map(\.executionBlock)
        let confirmed = watch.map { $0.confirmation(of: id).map(id.confirmedBlock) }
        let all = confirmed.map { events.concat($0) } ?? events
        exchange.respond(EventStream(all, opening: reset).response)
      }
    }
  }

  /// The handler of `GET /thanks/{id}`: shows the execution as a page.
  @Sendable
  func thank(_ routed: RoutedExchange) {
    let exchange = routed.exchange
    find(routed) { id, history in
      guard let last = history.last else { return }
      let texts = pages.texts.preferred(by: exchange.request)
      exchange.respond(pages.thanks.response(for: id, after: last.message, in: texts))
    }
  }

  /// Finds the messages of the execution in the path, or responds with 404.
  ///
  /// An execution that the process no longer remembers exists only if its sign-up was stored, so
  /// the store decides; `reject` responds if it cannot be read.
  private func find(
    _ routed: RoutedExchange,
    unreadable reject: @escaping @Sendable (Exchange, ProblemDetails) -> Void = { $0.respond($1) },
    _ found: @escaping @Sendable (ExecutionID, [StatusEvent]) -> Void
  ) {
    let exchange = routed.exchange
    guard let id = routed["id"].flatMap({ ExecutionID($0) }) else {
      exchange.respond(.notFound)
      return
    }
    if id.isKnown(at: now()), let history = directory.history(of: id) { return found(id, history) }
    store.hasStored(id).subscribe(
      next: { isStored in
        if isStored {
          found(id, StatusEvent.stored(id))
        } else {
          exchange.respond(.notFound)
        }
      },
      failed: { error in
        storage.readingFailed(error)
        reject(exchange, error.problem)
      }
    )
  }
}
