internal import HTTPSignals
internal import HTTPTypes
internal import MailingList
internal import Signals

/// The handlers of the event log, in pages and as a stream.
final class EventsController: Sendable {
  private static let limits = 1...1_000

  private let list: any OperatorStore
  private let keys: any KeyStore
  private let responder: APIResponder
  private let scheduler: any Scheduler
  private let now: @Sendable () -> Timestamp

  init(_ dependencies: OperatorDependencies) {
    list = dependencies.list
    keys = dependencies.keys
    responder = APIResponder(dependencies)
    scheduler = dependencies.scheduler
    now = dependencies.now
  }

  /// Responds to `GET /api/events`, at once.
  @Sendable
  func page(_ routed: RoutedExchange) {
    responder.respond(routed.exchange) { (request) throws(APIError) in
      let limit = try request.limit(in: Self.limits) ?? Self.limits.upperBound
      let last = try request.parameter("after") { EventID($0) }
      let feed = ListFeed(list, kinds: try request.kinds(), limit: limit)
      return feed.read(from: last.map(FeedPlace.events) ?? .beginning).map { part in
        var events: [(ListEvent, String)] = []
        for entry in part.entries {
          switch entry.item {
          case .event(let event): events.append((event, entry.place.id?.event.epoch ?? ""))
          case .reset: return .problem(.eventsExpired)
          case .begin, .subscriber, .end, .position: break
          }
        }
        var json = JSONText()
        json.object { object in
          object.array("events", events) { $1.event($0.0, in: $0.1) }
          object.member("last", "\(part.place)")
          object.member("is_complete", part.isComplete)
        }
        return .response(.json(.ok, json))
      }
    }
  }

  /// Responds to `GET /api/events/stream`.
  @Sendable
  func stream(_ routed: RoutedExchange, by actor: EventActor) {
    let exchange = routed.exchange
    do throws(APIError) {
      let request = exchange.request
      let stream = FeedStream(
        ListFeed(list, kinds: try request.kinds(), limit: FeedStream.partLimit),
        from: request.lastEventID.map(FeedPlace.init) ?? .end, on: scheduler,
        while: { [keys, now] in keys.isValid(actor, at: now()) })
      exchange.respond(stream.events.response)
    } catch {
      exchange.respond(error.problem)
    }
  }
}

extension Request {
  /// The kinds of events that a client asks for.
  fileprivate func kinds() throws(APIError) -> Set<ListEvent.Kind> {
    try parameter("types", ListEvent.Kind.kinds) ?? Set(ListEvent.Kind.allCases)
  }
}

extension KeyStore {
  /// Returns whether an actor's key is still valid; a key that cannot be read is.
  fileprivate func isValid(_ actor: EventActor, at time: Timestamp) -> Signal<Bool, Never> {
    switch actor {
    case .key(let id):
      key(id).map { $0?.status(at: time) == .valid }.catch { _ in .just(true) }
    case .form, .owner, .system, .command: .just(true)
    }
  }
}
