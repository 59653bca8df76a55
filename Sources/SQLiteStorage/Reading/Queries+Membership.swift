internal import MailingList

extension Queries {
  /// Reads the membership of the subscriber who made this sign-up; `nil` if the execution is
  /// unknown or too old.
  static func membership(
    of id: ExecutionID,
    at now: Timestamp,
    in db: SQLiteConnection
  ) throws(StoreError) -> ExecutionMembership? {
    guard id.isKnown(at: now) else { return nil }
    let statement = try db.statements[
      """
      SELECT s.id, iif(s.state = 1, s.confirmed_at, NULL) FROM consents c
        JOIN subscribers s ON s.id = c.subscriber_id WHERE c.id = ?1 AND c.kind = 'requested'
      """
    ]
    statement.bind(id.bytes, at: 1)
    return try statement.first { (row) throws(StoreError) in
      guard let subscriber = row.number(0) else { throw .damaged }
      return ExecutionMembership(subscriberID: subscriber, confirmedAt: row.time(1))
    }
  }

  /// Reads the status of a link.
  static func link(
    _ token: [UInt8],
    for purpose: LinkPurpose,
    at now: Timestamp,
    in db: SQLiteConnection
  ) throws(StoreError) -> LinkStatus {
    let statement = try db.statements[
      """
      SELECT t.made_at, t.expires_at, s.state, s.suppression, s.confirmed_at,
        s.unsubscribed_at, s.suppressed_at, s.rejections
      FROM tokens t JOIN subscribers s ON s.id = t.subscriber_id
      WHERE t.hash = ?1 AND t.purpose = ?2
      """
    ]
    statement.bind(token, at: 1)
    statement.bind(purpose.rawValue, at: 2)
    let status = try statement.first { (row) throws(StoreError) in
      guard let madeAt = row.time(0) else { throw .damaged }
      return LinkStatus(
        of: purpose,
        madeAt: madeAt,
        expiresAt: row.time(1),
        membership: try row.membership(2),
        at: now
      )
    }
    return status ?? .unknown
  }

  /// Counts the queued mails, up to ``OutboxBacklog/maximumCount``.
  static func backlog(
    isServedElsewhere: Bool,
    in db: SQLiteConnection
  ) throws(StoreError) -> OutboxBacklog {
    let statement = try db.statements[
      """
      SELECT count(*), min(created_at)
      FROM (SELECT created_at FROM outbox WHERE queue > 0 LIMIT \(OutboxBacklog.maximumCount))
      """
    ]
    let row = try statement.first { row in (row.number(0), row.time(1)) }
    return OutboxBacklog(
      waiting: Int(row?.0 ?? 0),
      oldest: row?.1,
      isServedElsewhere: isServedElsewhere
    )
  }
}
