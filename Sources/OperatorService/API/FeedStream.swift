internal import HTTPSignals
internal import Signals
internal import MailingList

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
