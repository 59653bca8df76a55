package import Signals

/// Events that the tallies do not contain, and the position of the consumer that will count them.
package struct UncountedEvents: Sendable {
  /// The stored position; `nil` before the first part.
  let position: Int64?
  package let events: [ListEvent]
}

extension ListReader {
  /// Reads events that are not counted yet.
  ///
  /// If the log no longer has the position, it continues with the oldest event.
  package func uncountedEvents(limit: Int) throws(StoreError) -> UncountedEvents {
    let position = try session.first(TallyRow.findPosition(.text(TallyRow.consumer))) {
      (row) throws(StoreError) in try row.required(row.number(0))
    }
    var page = try events(after: position ?? 0, limit: limit)
    // Old events may have been deleted; those that are left follow. But a position that has never
    // been reached belongs to another log.
    if page.events.isEmpty, let position, !page.continues(after: position) {
      page = try events(after: 0, limit: limit)
    }
    return UncountedEvents(position: position, events: page.events)
  }

  /// Reads the tallies from an hour and from a day on, both in hours since 1970.
  package func tallies(fromHour hour: Int64, fromDay day: Int64) throws(StoreError) -> [Tally] {
    try session.rows(
      ofEach: [
        TallyRow.list(.number(Tally.Resolution.hour.rawValue), .number(hour)),
        TallyRow.list(.number(Tally.Resolution.day.rawValue), .number(day)),
      ]
    ) { (row) throws(StoreError) -> Tally? in
      // A later release may count more.
      guard let series = row.text(0).flatMap(Tally.Series.init(rawValue:)) else { return nil }
      return Tally(
        series, try row.required(row.number(1).flatMap(Tally.Resolution.init(rawValue:))),
        start: try row.required(row.number(2)), count: try row.required(row.number(3)))
    }
    .flatMap { $0.compactMap(\.self) }
  }
}

extension ListWriter {
  /// Adds events to the tallies and moves the position behind them; returns whether it did, or
  /// another service was first.
  package func count(_ uncounted: UncountedEvents) throws(StoreError) -> Bool {
    guard let last = uncounted.events.last?.position else { return true }
    let consumer = ListValue.text(TallyRow.consumer)
    let move =
      uncounted.position.map { TallyRow.move(consumer, .number(last), .number($0)) }
      ?? TallyRow.begin(consumer, .number(last))
    let additions = Tally.counting(uncounted.events).map { tally in
      TallyRow.add(
        .text(tally.series.rawValue), .number(tally.resolution.rawValue), .number(tally.start),
        .number(tally.count))
    }
    return try session.change([move.required] + additions)
  }
}

extension ListAccess {
  /// Counts the events that are not counted yet, in parts; the signal sends the number of each.
  ///
  /// Each event is counted once, however many services of a list count: the position of the
  /// consumer changes in the transaction that adds to the tallies. Without new events nothing is
  /// written. Events that the log no longer contains are not counted.
  package func countEvents() -> Signal<Int, StoreError> {
    .deferred {
      let isFull = Property(false)
      let part = self.read { (list) throws(StoreError) in
        try list.uncountedEvents(limit: TallyRow.eventsPerChange)
      }
      .flatMap { uncounted -> Signal<Int, StoreError> in
        guard !uncounted.events.isEmpty else { return .empty }
        isFull.value = uncounted.events.count == TallyRow.eventsPerChange
        return self.change { (list) throws(StoreError) in
          try list.count(uncounted) ? uncounted.events.count : 0
        }
      }
      // After the part, not within it, where each of many parts would be nested in the last one.
      return part.concat(.deferred { isFull.value ? self.countEvents() : .empty })
    }
  }
}

/// The statements of the tallies, and of the position of their consumer.
private enum TallyRow {
  static let consumer = "tallies"
  /// The maximum number of events that one change counts.
  static let eventsPerChange = 1000

  static let findPosition = Statement("SELECT position FROM enlist.consumers WHERE name = ?1")
  static let begin = Statement(
    """
    INSERT INTO enlist.consumers (name, position) VALUES (?1, ?2) ON CONFLICT (name) DO NOTHING
    """
  )
  static let move = Statement(
    "UPDATE enlist.consumers SET position = ?2 WHERE name = ?1 AND position = ?3")
  static let add = Statement(
    """
    INSERT INTO enlist.tallies AS t (name, resolution, start, n) VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT (resolution, start, name) DO UPDATE SET n = t.n + excluded.n
    """
  )
  static let list = Statement(
    """
    SELECT name, resolution, start, n FROM enlist.tallies
      WHERE resolution = ?1 AND start >= ?2 ORDER BY start
    """
  )
}
