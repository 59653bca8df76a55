internal import Foundation
internal import GRDB
internal import MailingList

extension Queries {
  /// Reads the membership of the subscriber who made this sign-up; `nil` if the execution is
  /// unknown or too old.
  static func membership(
    of id: ExecutionID,
    at now: Timestamp,
    in db: Database
  ) throws -> ExecutionMembership? {
    guard id.isKnown(at: now) else { return nil }
    let statement = try db.cachedStatement(
      sql: """
        SELECT s.id, iif(s.state = 1, s.confirmed_at, NULL) FROM consents c
          JOIN subscribers s ON s.id = c.subscriber_id WHERE c.id = ? AND c.kind = 'requested'
        """
    )
    guard let row = try Row.fetchOne(statement, arguments: [Data(id.bytes)]) else { return nil }
    guard let subscriber = Int64.fromDatabaseValue(row[0]) else { throw StoreError.damaged }
    return ExecutionMembership(subscriberID: subscriber, confirmedAt: moment(row[1]))
  }

  /// Reads the status of a link.
  static func link(
    _ token: [UInt8],
    for purpose: LinkPurpose,
    at now: Timestamp,
    in db: Database
  ) throws -> LinkStatus {
    let statement = try db.cachedStatement(
      sql: """
        SELECT t.made_at, t.expires_at, s.state, s.suppression, s.confirmed_at,
          s.unsubscribed_at, s.suppressed_at, s.rejections
        FROM tokens t JOIN subscribers s ON s.id = t.subscriber_id
        WHERE t.hash = ? AND t.purpose = ?
        """
    )
    let arguments: StatementArguments = [Data(token), purpose.rawValue]
    guard let row = try Row.fetchOne(statement, arguments: arguments) else { return .unknown }
    guard let madeAt = moment(row[0]),
      let state = Int64.fromDatabaseValue(row[2]).flatMap(Subscriber.State.init(rawValue:))
    else { throw StoreError.damaged }
    return LinkStatus(
      of: purpose,
      madeAt: madeAt,
      expiresAt: moment(row[1]),
      membership: Membership(
        state: state,
        suppression: Int64.fromDatabaseValue(row[3]).flatMap(Suppression.init(rawValue:)),
        confirmedAt: moment(row[4]),
        unsubscribedAt: moment(row[5]),
        suppressedAt: moment(row[6]),
        rejections: Int.fromDatabaseValue(row[7]) ?? 0
      ),
      at: now
    )
  }

  /// Counts the queued mails, up to ``OutboxBacklog/maximumCount``.
  static func backlog(isServedElsewhere: Bool, in db: Database) throws -> OutboxBacklog {
    let statement = try db.cachedStatement(
      sql: """
        SELECT count(*), min(created_at)
        FROM (SELECT created_at FROM outbox WHERE queue > 0 LIMIT \(OutboxBacklog.maximumCount))
        """
    )
    let row = try Row.fetchOne(statement)
    return OutboxBacklog(
      waiting: row.flatMap { Int.fromDatabaseValue($0[0]) } ?? 0,
      oldest: row.flatMap { moment($0[1]) },
      isServedElsewhere: isServedElsewhere
    )
  }
}
