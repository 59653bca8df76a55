internal import HTTPSignals
internal import HTTPTypes
internal import MailingList
internal import Signals

/// The handlers of the event log, in pages and as a stream.
extension Operator {
  private static let eventLimits = 1...1_000

  /// `GET /api/events`, at once.
  func events(_ call: Call) throws(ProblemDetails) -> Signal<Response, ProblemDetails> {
    let request = call.request
    let limit = try request.limit(in: Self.eventLimits) ?? Self.eventLimits.upperBound
    let last = try request.parameter("after") { EventID($0) }
    let feed = ListFeed(dependencies.list, kinds: try request.kinds(), limit: limit)
    return available(feed.read(from: last.map(FeedPlace.events) ?? .beginning))
      .tryMap { part throws(ProblemDetails) in
        var events: [(ListEvent, String)] = []
        for entry in part.entries {
          switch entry.item {
          case .event(let event): events.append((event, entry.place.id?.event.epoch ?? ""))
          case .reset: throw .eventsExpired
          case .begin, .subscriber, .end, .position: break
          }
        }
        return .json { [events] object in
          object.array("events", events) { $1.event($0.0, in: $0.1) }
          object.member("last", "\(part.place)")
          object.member("is_complete", part.isComplete)
        }
      }
  }

  /// `GET /api/events/stream`.
  func eventStream(_ call: Call) throws(ProblemDetails) -> Signal<Response, ProblemDetails> {
    let request = call.request
    let (keys, now) = (dependencies.keys, dependencies.now)
    let stream = FeedStream(
      ListFeed(dependencies.list, kinds: try request.kinds(), limit: FeedStream.partLimit),
      from: request.lastEventID.map(FeedPlace.init) ?? .end, on: dependencies.scheduler,
      while: { keys.isValid(call.actor, at: now()) })
    return .just(stream.events.response)
  }
}

extension Request {
  /// The kinds of events that a client asks for.
  fileprivate func kinds() throws(ProblemDetails) -> Set<ListEvent.Kind> {
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
