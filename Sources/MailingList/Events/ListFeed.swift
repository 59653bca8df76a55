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

  private let reader: any EventReader
  /// The kinds of events that the feed has.
  private let kinds: Set<ListEvent.Kind>
  /// The maximum number of subscribers or events that one part reads.
  private let limit: Int

  package init(
    _ reader: any EventReader, kinds: Set<ListEvent.Kind> = Set(ListEvent.Kind.allCases), limit: Int
  ) {
    self.reader = reader
    self.kinds = kinds
    self.limit = limit
  }

  /// Returns a cold signal that reads the part at a place.
  package func read(from place: FeedPlace) -> Signal<Part, StoreError> {
    switch place {
    case .end:
      head().map { page in
        var part = Part(place: place)
        part.add(.position, .events(after: page.end))
        part.isComplete = true
        return part
      }
    case .invalid: head().map { reset(.invalid, $0) }
    case .beginning:
      reader.events(after: 0, limit: limit).map { page in
        let first = page.events.first.map { $0.position - 1 } ?? page.newest
        return events(page, after: EventID(epoch: page.epoch, position: first))
      }
    case .events(let id):
      reader.events(after: id.position, limit: limit).map { events($0, after: id) }
    case .snapshot(nil, _): head().flatMap { begin(at: $0.end) }
    case .snapshot(let id?, nil): begin(at: id)
    case .snapshot(let id?, let last?): subscribers(after: last, at: id)
    }
  }

  /// Reads the end of the log, without events.
  private func head() -> Signal<EventPage, StoreError> { reader.events(after: .max, limit: 1) }

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
    reader.subscriberCounts().map { counts in
      var part = Part(place: .end)
      let count = counts.values.reduce(0, +)
      part.add(.begin(subscriberCount: count), .snapshot(id, after: 0))
      return part
    }
  }

  /// Reads a part of the list, if the events since the beginning of the snapshot are still stored.
  private func subscribers(after last: Int64, at id: EventID) -> Signal<Part, StoreError> {
    reader.subscribers(after: last, limit: limit).flatMap { subscribers in
      reader.events(after: id.position, limit: 1).map { page in
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
