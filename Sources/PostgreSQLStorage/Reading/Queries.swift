internal import MailingList

/// The queries that read the list.
enum Queries {
  /// Reads whether an execution was stored within ``ExecutionID/lifetime``.
  static func hasStored(
    _ id: ExecutionID,
    at now: Timestamp,
    in session: ReadSession
  ) throws(PostgreSQLError) -> Bool {
    guard id.isKnown(at: now) else { return false }
    let query = Query("SELECT true FROM enlist.consents WHERE id = $1 AND kind = 'requested'")
    return try session.read(query.binding(id.bytes)).count > 0
  }

  /// Reads one page of the list in the order of ids.
  ///
  /// - Parameter id: Only subscribers with a greater id are read; `nil` starts with the first.
  static func subscribers(
    after id: Int64?,
    limit: Int,
    in session: ReadSession
  ) throws(PostgreSQLError) -> [Subscriber] {
    let query = Query(
      """
      SELECT id, address, state, locale, created_at, confirmed_at, unsubscribed_at
      FROM enlist.subscribers WHERE id > $1 ORDER BY id LIMIT $2
      """
    )
    let rows = try session.read(query.binding(id ?? .min).binding(Int64(max(limit, 0))))
    var subscribers: [Subscriber] = []
    subscribers.reserveCapacity(rows.count)
    for row in 0..<rows.count {
      subscribers.append(
        Subscriber(
          id: try rows.required(row, 0),
          address: try rows.required(row, 1),
          state: try rows.state(row, 2),
          locale: try rows.value(row, 3),
          createdAt: try rows.required(row, 4),
          confirmedAt: try rows.value(row, 5),
          unsubscribedAt: try rows.value(row, 6)
        )
      )
    }
    return subscribers
  }

  /// Reads what has become of the person of an execution.
  ///
  /// - Returns: The membership; `nil` if the execution is unknown or too old.
  static func membership(
    of id: ExecutionID,
    at now: Timestamp,
    in session: ReadSession
  ) throws(PostgreSQLError) -> ExecutionMembership? {
    guard id.isKnown(at: now) else { return nil }
    let query = Query(
      """
      SELECT s.id, CASE WHEN s.state = 1 THEN s.confirmed_at END FROM enlist.consents c
        JOIN enlist.subscribers s ON s.id = c.subscriber_id WHERE c.id = $1 AND c.kind = 'requested'
      """
    )
    let rows = try session.read(query.binding(id.bytes))
    guard rows.count > 0 else { return nil }
    return ExecutionMembership(
      subscriberID: try rows.required(0, 0),
      confirmedAt: try rows.value(0, 1)
    )
  }

  /// Reads what a link leads to.
  static func link(
    _ token: [UInt8],
    for purpose: LinkPurpose,
    at now: Timestamp,
    in session: ReadSession
  ) throws(PostgreSQLError) -> LinkStatus {
    let query = Query(
      """
      SELECT t.made_at, t.expires_at, s.state, s.suppression, s.confirmed_at, s.unsubscribed_at,
        s.suppressed_at, s.rejections
      FROM enlist.tokens t JOIN enlist.subscribers s ON s.id = t.subscriber_id
      WHERE t.hash = $1 AND t.purpose = $2
      """
    )
    let rows = try session.read(
      query.binding(token).binding(Int16(truncatingIfNeeded: purpose.rawValue))
    )
    guard rows.count > 0 else { return .unknown }
    return LinkStatus(
      of: purpose,
      madeAt: try rows.required(0, 0),
      expiresAt: try rows.value(0, 1),
      membership: try rows.membership(0, from: 2),
      at: now
    )
  }

  /// Counts the mails that wait, up to ``OutboxBacklog/maximumCount``.
  static func backlog(in session: ReadSession) throws(PostgreSQLError) -> OutboxBacklog {
    let rows = try session.read(
      Query(
        """
        SELECT count(*), min(o.created_at) FROM (
          SELECT created_at FROM enlist.outbox WHERE queue > 0 LIMIT \(OutboxBacklog.maximumCount)
        ) AS o
        """
      )
    )
    return OutboxBacklog(
      waiting: Int(try rows.required(0, 0, as: Int64.self)),
      oldest: try rows.value(0, 1),
      isServedElsewhere: false
    )
  }
}

extension QueryResult {
  /// Reads the state of a subscriber.
  func state(_ row: Int, _ column: Int) throws(PostgreSQLError) -> Subscriber.State {
    let number = try required(row, column, as: Int16.self)
    guard let state = Subscriber.State(rawValue: Int64(number)) else { throw .malformed }
    return state
  }

  /// Reads a membership from six columns: state, suppression, the times of the last confirmation, of
  /// leaving and of the suppression, and how many mails were rejected.
  func membership(_ row: Int, from column: Int) throws(PostgreSQLError) -> Membership {
    let reason = try value(row, column + 1, as: Int16.self)
    let suppression = reason.flatMap { Suppression(rawValue: Int64($0)) }
    guard (suppression == nil) == (reason == nil) else { throw .malformed }
    return Membership(
      state: try state(row, column),
      suppression: suppression,
      confirmedAt: try value(row, column + 2),
      unsubscribedAt: try value(row, column + 3),
      suppressedAt: try value(row, column + 4),
      rejections: Int(try required(row, column + 5, as: Int32.self))
    )
  }
}
