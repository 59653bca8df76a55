package import Signals

/// The feed from which a program makes a copy of the list: the list itself, and then every event.
///
/// Each part of the feed is read from a place, and returns the place of the next one. Nothing is
/// stored about readers, so any of them may continue on any replica and after any restart.
package struct ListFeed: Sendable {
  /// The reason why a reader cannot continue at its place.
  package enum Reason: String, Hashable, Sendable {
    /// The database has been restored from a backup, or its server has lost events.
    case epoch
    /// Events after the place are no longer stored.
    case expired
    /// The place is malformed, or after the end of the log.
    case invalid
  }

  /// An entry of the feed.
  package enum Item: Hashable, Sendable {
    /// The reader must discard its copy; a snapshot follows.
    case reset(Reason)
    /// A snapshot begins. A subscriber that is not named before its end is not on the list.
    case begin(subscriberCount: Int)
    case subscriber(Subscriber)
    case end
    case event(ListEvent)
    /// Only the place has changed.
    case position
  }

  /// A part of the feed.
  package struct Part: Sendable {
    package struct Entry: Sendable {
      package let item: Item
      /// The place after the item.
      package let place: FeedPlace

      package init(item: Item, place: FeedPlace) {
        self.item = item
        self.place = place
      }
    }

    package fileprivate(set) var entries: [Entry] = []
    /// The place of the next part.
    package fileprivate(set) var place: FeedPlace
    /// Whether nothing follows yet.
    package fileprivate(set) var isComplete = false

    fileprivate mutating func add(_ item: Item, _ place: FeedPlace) {
      entries.append(Entry(item: item, place: place))
      self.place = place
    }
  }

  private let list: any ReadableList
  /// The kinds of events that the feed has.
  private let kinds: Set<ListEvent.Kind>
  /// The maximum number of subscribers or events that one part reads.
  private let limit: Int

  package init(
    _ list: any ReadableList, kinds: Set<ListEvent.Kind> = Set(ListEvent.Kind.allCases), limit: Int
  ) {
    self.list = list
    self.kinds = kinds
    self.limit = limit
  }

  /// Returns a cold signal that reads the part at a place.
  package func read(from place: FeedPlace) -> Signal<Part, StoreError> {
    switch place {
    case .snapshot(nil, _): head().flatMap { begin(at: $0.end) }
    case .snapshot(let id?, nil): begin(at: id)
    case .snapshot(let id?, let last?): subscribers(after: last, at: id)
    case .events(let id): page(after: id.position, limit: limit).map { events($0, after: id) }
    case .beginning:
      page(after: 0, limit: limit).map { page in
        let first = page.events.first.map { $0.position - 1 } ?? page.newest
        return events(page, after: EventID(epoch: page.epoch, position: first))
      }
    case .end:
      head().map { page in
        var part = Part(place: place)
        part.add(.position, .events(after: page.end))
        part.isComplete = true
        return part
      }
    case .invalid: head().map { reset(.invalid, $0) }
    }
  }

  private func page(after position: Int64, limit: Int) -> Signal<EventPage, StoreError> {
    list.read { list throws(StoreError) in try list.events(after: position, limit: limit) }
  }

  /// Reads the end of the log, without events.
  private func head() -> Signal<EventPage, StoreError> { page(after: .max, limit: 0) }

  private func events(_ page: EventPage, after id: EventID) -> Part {
    if let reason = page.obstacle(after: id) { return reset(reason, page) }
    var part = Part(place: .events(after: id))
    for event in page.events {
      let place = FeedPlace.events(after: EventID(epoch: id.epoch, position: event.position))
      part.place = place
      if kinds.contains(event.kind) { part.add(.event(event), place) }
    }
    part.isComplete = page.events.count < limit
    return part
  }

  private func reset(_ reason: Reason, _ page: EventPage) -> Part {
    var part = Part(place: .end)
    part.add(.reset(reason), .snapshot(page.end, after: nil))
    return part
  }

  private func begin(at id: EventID) -> Signal<Part, StoreError> {
    list.subscriberCounts().map { counts in
      var part = Part(place: .end)
      let count = counts.values.reduce(0, +)
      part.add(.begin(subscriberCount: count), .snapshot(id, after: 0))
      return part
    }
  }

  /// Reads a part of the list, if the events since the beginning of the snapshot are still stored.
  private func subscribers(after last: Int64, at id: EventID) -> Signal<Part, StoreError> {
    list.read { [limit] list throws(StoreError) in
      (
        subscribers: try list.subscribers(after: last, limit: limit),
        page: try list.events(after: id.position, limit: 1)
      )
    }
    .map { subscribers, page in
      if let reason = page.obstacle(after: id) { return reset(reason, page) }
      var part = Part(place: .end)
      for subscriber in subscribers {
        part.add(.subscriber(subscriber), .snapshot(id, after: subscriber.id))
      }
      if subscribers.count < limit { part.add(.end, .events(after: id)) }
      return part
    }
  }
}

extension EventPage {
  /// The id of the newest event.
  fileprivate var end: EventID { EventID(epoch: epoch, position: newest) }

  /// Returns why the page does not continue after an event; `nil` if it does.
  fileprivate func obstacle(after id: EventID) -> ListFeed.Reason? {
    if id.epoch != epoch { return .epoch }
    if continues(after: id.position) { return nil }
    return id.position > newest ? .invalid : .expired
  }
}

/// A place in the change feed, at which a reader begins or continues.
package enum FeedPlace: Hashable, Sendable {
  /// The end of the log: only what happens from now on.
  case end
  /// The oldest event that is stored.
  case beginning
  case events(after: EventID)
  /// The list as it was at an event, or as it is now, after a subscriber; `nil` before the first
  /// entry.
  case snapshot(EventID?, after: Int64?)
  /// A text that is not a place.
  case invalid

  /// Parses what a reader sends: the id of the last entry, `snapshot`, or `earliest`.
  package init(_ text: String) {
    switch text {
    case "snapshot": self = .snapshot(nil, after: nil)
    case "earliest": self = .beginning
    default:
      let parts = text.split(separator: ".", omittingEmptySubsequences: false)
      guard let first = parts.first, let id = EventID(first), parts.count <= 2 else {
        self = .invalid
        return
      }
      guard parts.count == 2 else {
        self = .events(after: id)
        return
      }
      guard let last = Int64(parts[1]), last >= 0, "\(last)" == parts[1] else {
        self = .invalid
        return
      }
      // An entry precedes the first subscriber only if the snapshot has not begun.
      self = .snapshot(id, after: last == 0 ? nil : last)
    }
  }

  /// The event in the id of an entry, and the subscriber while a snapshot is read; `nil` for a
  /// place that no entry has.
  package var id: (event: EventID, subscriber: Int64?)? {
    switch self {
    case .events(let id): (id, nil)
    case .snapshot(let id?, let last): (id, last ?? 0)
    case .end, .beginning, .snapshot(nil, _), .invalid: nil
    }
  }
}

extension FeedPlace: CustomStringConvertible {
  package var description: String {
    guard let id else { return "" }
    return id.subscriber.map { "\(id.event).\($0)" } ?? "\(id.event)"
  }
}

/// A part of the event log.
package struct EventPage: Hashable, Sendable {
  /// The epoch of all positions.
  package let epoch: String
  /// The position of the newest event; 0 if there has been none.
  package let newest: Int64
  /// Events at consecutive positions.
  package let events: [ListEvent]

  /// Returns whether the part continues after a position: if not, events between the two are no
  /// longer stored, or the position has never been reached.
  package func continues(after position: Int64) -> Bool {
    events.first.map { $0.position == position + 1 } ?? (position <= newest)
  }
}
