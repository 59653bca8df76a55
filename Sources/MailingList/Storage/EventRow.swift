/// The statements of the event log, whose rows are written in the transaction of each change.
///
/// A server gets them without positions, which its followers give them after the commit.
enum EventRow {
  /// Returns the statement that records an event; `nil` for `actor` is the form.
  static func recording(
    _ kind: ListEvent.Kind, of subscriber: Int64, _ state: Subscriber.State,
    from previous: Subscriber.State? = nil, by actor: EventActor, _ detail: String? = nil,
    at time: Timestamp
  ) -> BoundStatement {
    insert([.number(subscriber)] + values(kind, state, previous, actor, detail, time))
  }

  /// The same for the subscriber of a key, whose id is not known yet.
  static func recording(
    _ kind: ListEvent.Kind, ofKey key: String, _ state: Subscriber.State, by actor: EventActor,
    at time: Timestamp
  ) -> BoundStatement {
    insertOfKey([.text(key)] + values(kind, state, nil, actor, nil, time))
  }

  private static func values(
    _ kind: ListEvent.Kind, _ state: Subscriber.State, _ previous: Subscriber.State?,
    _ actor: EventActor, _ detail: String?, _ time: Timestamp
  ) -> [ListValue] {
    [
      .time(time), .number(kind.rawValue), .number(state.rawValue), .number(previous?.rawValue),
      .text(actor == .form ? nil : actor.text), .text(detail),
    ]
  }

  private static let insert = statement("", subscriber: "?1")
  private static let insertOfKey = statement(
    " FROM enlist.subscribers s WHERE s.address_key = ?1", subscriber: "s.id")

  private static func statement(_ source: String, subscriber: String) -> Statement {
    Statement(
      sqlite: """
        INSERT INTO events(at, type, subscriber_id, state, previous, actor, detail)
          SELECT ?2, ?3, \(subscriber), ?4, ?5, ?6, ?7\(source)
        """,
      postgreSQL: """
        INSERT INTO enlist.status_pending(payloads, events)
          SELECT '{}', ARRAY[(?2, ?3, \(subscriber), ?4, ?5, ?6, ?7)::enlist.event]\(source)
        """
    )
  }
}

extension ListReader {
  /// Reads a part of the event log, in the order of positions.
  ///
  /// - Parameters:
  ///   - position: Only later events are read; 0 starts with the oldest.
  ///   - limit: The maximum number of events, 1 or more; 0 reads only where the log ends.
  package func events(after position: Int64, limit: Int) throws(StoreError) -> EventPage {
    let found = try session.rows(
      Self.listEvents(.number(max(position, 0)), .number(Int64(max(limit, 0)))), Self.event)
    // The head after the events, so that it is not before them.
    let head = try session.first(Self.findHead()) { (row) throws(StoreError) in
      (epoch: try row.required(row.text(0)), newest: max(row.number(1) ?? 0, 0))
    }
    guard let head else { throw .damaged }
    // Old events are deleted in parts, perhaps not the oldest first.
    let gap = found.indices.dropFirst().first { found[$0].position != found[$0 - 1].position + 1 }
    return EventPage(
      epoch: head.epoch, newest: head.newest, events: Array(found[..<(gap ?? found.endIndex)]))
  }

  private static func event(_ row: any ListRow) throws(StoreError) -> ListEvent {
    ListEvent(
      position: try row.required(row.number(9)), time: try row.required(row.time(10)),
      kind: try row.required(row.number(11).flatMap(ListEvent.Kind.init(rawValue:))),
      subscriberID: try row.required(row.number(12)),
      state: try row.required(row.number(13).flatMap(Subscriber.State.init(rawValue:))),
      previous: row.number(14).flatMap(Subscriber.State.init(rawValue:)),
      actor: try row.required(row.text(15).map(EventActor.init) ?? .form), detail: row.text(16),
      subscriber: row.number(0) == nil ? nil : try subscriber(row))
  }

  private static let listEvents = Statement(
    """
    SELECT s.id, s.address, s.state, s.locale, s.created_at, s.confirmed_at, s.unsubscribed_at,
      s.fields, s.suppression, e.position, e.at, e.type, e.subscriber_id, e.state, e.previous,
      e.actor, e.detail
      FROM (SELECT * FROM enlist.events WHERE position > ?1 ORDER BY position LIMIT ?2) AS e
        LEFT JOIN enlist.subscribers s ON s.id = e.subscriber_id
      ORDER BY e.position
    """
  )
  private static let findHead = Statement(
    """
    SELECT epoch, (SELECT max(position) FROM enlist.events)
      FROM enlist.log_epoch ORDER BY since DESC LIMIT 1
    """
  )
}
