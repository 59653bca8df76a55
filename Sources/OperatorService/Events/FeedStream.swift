internal import HTTPSignals
internal import Locks
internal import MailingList
internal import Signals

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
    _ feed: ListFeed,
    from place: FeedPlace,
    on scheduler: any Scheduler,
    while isAllowed: @escaping @Sendable () -> Signal<Bool, Never>
  ) {
    self.feed = feed
    self.scheduler = scheduler
    self.isAllowed = isAllowed
    state = Lock(State(place: place, known: place))
  }

  /// The stream, for one client.
  var events: EventStream {
    EventStream(window: Self.partLimit * 2 + 2) { self.next() }
  }

  /// Returns a signal of the next entries, which waits for one; it ends without any if the client
  /// may not continue.
  private func next() -> Signal<[ServerSentEvent], Never> {
    isAllowed().flatMap { isAllowed -> Signal<[ServerSentEvent], Never> in
      guard isAllowed else { return .empty }
      return self.feed.read(from: self.state.withLock { $0.place })
        .flatMap { part -> Signal<[ServerSentEvent], StoreError> in
          let events = self.take(part)
          if !events.isEmpty { return .just(events) }
          return self.next(after: part.isComplete ? Self.interval : .zero).promoteError()
        }
        // The store can be read again later; the client would only reconnect.
        .catch { _ in self.next(after: Self.interval) }
    }
  }

  private func next(after delay: Duration) -> Signal<[ServerSentEvent], Never> {
    Signal<Duration, Never>.timer(after: delay, on: scheduler).flatMap { _ in self.next() }
  }

  private func take(_ part: ListFeed.Part) -> [ServerSentEvent] {
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
      return entries.compactMap(ServerSentEvent.init)
    }
  }
}

extension ServerSentEvent {
  fileprivate init?(_ entry: ListFeed.Part.Entry) {
    guard let (event, subscriber) = entry.place.id else { return nil }
    self.init(
      id: ID(
        epoch: Token(event.epoch),
        position: UInt64(event.position),
        part: subscriber.map { UInt64($0) }
      ),
      name: Token(entry.name),
      data: entry.json()
    )
  }
}
