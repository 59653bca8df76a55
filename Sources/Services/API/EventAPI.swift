package import HTTPSignals
internal import HTTPTypes
package import MailingList
internal import Signals

/// The handlers of the event log, in pages and as a stream.
extension Operator {
  private static let eventLimits = 1...1_000

  /// `GET /api/events`, at once.
  func events(_ call: Call) throws(ProblemDetails) -> Signal<Response, ProblemDetails> {
    let request = call.request
    let limit = try request.limit(in: Self.eventLimits) ?? Self.eventLimits.upperBound
    let last = try request.parameter("after") { EventID($0) }
    let feed = ListFeed(list, kinds: try request.kinds(), limit: limit)
    return available(feed.read(from: last.map(FeedPlace.events) ?? .beginning))
      .tryMap { part throws(ProblemDetails) in
        var events: [(ListEvent, String)] = []
        for entry in part.entries {
          switch entry.item {
          case .event(let event): events.append((event, entry.place.id?.event.epoch ?? ""))
          case .reset: throw ProblemDetails(APIProblem.eventsExpired)
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
    let (list, now) = (list, now)
    let stream = FeedStream(
      ListFeed(list, kinds: try request.kinds(), limit: FeedStream.partLimit),
      from: request.lastEventID.map(FeedPlace.init) ?? .end, on: scheduler,
      while: { list.hasValidKey(call.actor, at: now()) })
    return .just(stream.events.response)
  }
}

extension Request {
  /// The kinds of events that a client asks for.
  fileprivate func kinds() throws(ProblemDetails) -> Set<ListEvent.Kind> {
    try parameter("types", ListEvent.Kind.kinds) ?? Set(ListEvent.Kind.allCases)
  }
}

extension ListStore {
  /// Returns whether an actor's key is still valid; a key that cannot be read is.
  fileprivate func hasValidKey(_ actor: EventActor, at time: Timestamp) -> Signal<Bool, Never> {
    switch actor {
    case .key(let id):
      read { list throws(StoreError) in try list.keyTable.key(id)?.status(at: time) == .valid }
        .catch { _ in .just(true) }
    case .form, .owner, .system, .command: .just(true)
    }
  }
}

/// The change feed as server-sent events for one client, which is read as the client takes it.
///
/// At the end of the log, it looks for events once a second: also those of other processes.
final class FeedStream: Sendable {
  /// The maximum number of entries that are read at once.
  static let partLimit = 250
  private static let interval: Duration = .seconds(1)
  /// The number of intervals without an entry after which a client learns of a new place.
  private static let intervalsPerPosition = 60

  private struct State {
    var place: FeedPlace
    /// The place that the client knows.
    var known: FeedPlace
    /// The number of intervals since the last entry.
    var intervals = 0
  }

  private let feed: ListFeed
  private let scheduler: any Scheduler
  private let isAllowed: @Sendable () -> Signal<Bool, Never>
  private let state: Lock<State>

  /// - Parameter isAllowed: Returns whether the client may continue, asked before each reading.
  init(
    _ feed: ListFeed, from place: FeedPlace, on scheduler: any Scheduler,
    while isAllowed: @escaping @Sendable () -> Signal<Bool, Never>
  ) {
    self.feed = feed
    self.scheduler = scheduler
    self.isAllowed = isAllowed
    state = Lock(State(place: place, known: place))
  }

  /// The stream, for one client.
  var events: EventStream {
    EventStream(window: Self.partLimit * 2 + 2, on: scheduler) { self.next() }
  }

  private func next() -> Signal<EventSupply, Never> {
    isAllowed().flatMap { isAllowed -> Signal<EventSupply, Never> in
      guard isAllowed else { return .just(.end) }
      return self.feed.read(from: self.state.withLock { $0.place }).map { self.take($0) }
        // The store can be read again later; the client would only reconnect.
        .replaceError(with: .later(Self.interval))
    }
  }

  private func take(_ part: ListFeed.Part) -> EventSupply {
    state.withLock { state in
      state.place = part.place
      var entries = part.entries
      state.intervals += 1
      if entries.isEmpty, state.intervals > Self.intervalsPerPosition, state.place != state.known {
        entries = [.init(item: .position, place: state.place)]
      }
      if !entries.isEmpty {
        state.known = state.place
        state.intervals = 0
      }
      guard entries.isEmpty else { return .events(entries.compactMap(ServerSentEvent.init)) }
      return .later(part.isComplete ? Self.interval : .zero)
    }
  }
}

extension ServerSentEvent {
  fileprivate init?(_ entry: ListFeed.Part.Entry) {
    guard let (event, subscriber) = entry.place.id else { return nil }
    self.init(
      id: ID(
        epoch: Token(event.epoch), position: UInt64(event.position),
        part: subscriber.map { UInt64($0) }), name: Token(entry.name), data: entry.json())
  }
}

extension JSONObject {
  /// Adds the members of an event, which are the same in pages, streams and webhooks.
  ///
  /// The state is that of the event; all else is what is stored about the subscriber now.
  package mutating func event(_ event: ListEvent, in epoch: String) {
    member("type", event.kind.name)
    member("id", "\(EventID(epoch: epoch, position: event.position))")
    member("timestamp", "\(event.time)")
    object("data") { data in
      data.object("subscriber") { $0.subscriber(event) }
      data.member("previous", event.previous?.name)
      data.member("actor", event.actor.text)
      data.member("detail", event.detail)
    }
  }

  /// Adds the members of the subscriber of an event; only id and state if deleted since.
  private mutating func subscriber(_ event: ListEvent) {
    if let stored = event.subscriber {
      subscriber(stored, event.state)
    } else {
      member("id", Int(event.subscriberID))
      member("address", nil)
      member("state", event.state.name)
    }
  }
}

extension ListFeed.Part.Entry {
  /// The name of the entry's event in a stream.
  package var name: String {
    switch item {
    case .reset: "reset"
    case .begin: "snapshot.begin"
    case .subscriber: "snapshot.subscriber"
    case .end: "snapshot.end"
    case .event(let event): event.kind.name
    case .position: "position"
    }
  }

  /// The data of the entry's event in a stream.
  package func json(escaping: JSONText.Escaping = .required) -> JSONText {
    var json = JSONText(escaping: escaping)
    json.object { object in
      switch item {
      case .reset(let reason): object.member("reason", reason.rawValue)
      case .begin(let count):
        object.member("position", place.id.map { "\($0.event)" })
        object.member("subscribers", count)
      case .subscriber(let subscriber): object.subscriber(subscriber)
      case .end, .position: object.member("position", place.id.map { "\($0.event)" })
      case .event(let event): object.event(event, in: place.id?.event.epoch ?? "")
      }
    }
    return json
  }
}
