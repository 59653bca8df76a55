import TestSupport
import Testing

/// Tests of the number of waiting mails in the metrics, whose counting must not take long.
@Suite struct BacklogTests {
  private static let columns =
    "outbox(queue, due_at, id, subscriber_id, consent_id, mailbox, kind, created_at)"

  /// Expects that no more than 10,000 of 10,001 mails are counted, but all of 9,999.
  ///
  /// - Parameters:
  ///   - service: A service whose mails are not due yet, each of another subscriber.
  ///   - delete: Deletes the mails of the subscribers above a number.
  private func expectLimit(
    _ service: Enlist, deletingAbove delete: (_ subscriber: Int) throws -> Void
  ) throws {
    let count = try service.metric("enlist_outbox_messages")
    #expect(count == 10_000)
    try delete(9_999)
    // A count is used for a second.
    try eventually("a count of 9,999") { try service.metric("enlist_outbox_messages") == 9_999 }
  }

  @Test func `a service counts at most 10,000 waiting mails`() throws {
    let service = try Enlist(.mail + .openMetrics)
    let database = try SQLiteFile(service.database, busyTimeout: .seconds(10))
    try database.execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10001)
      INSERT INTO \(Self.columns)
        SELECT 1, (strftime('%s', 'now') + 3600) * 1000, CAST(printf('%022d', i) AS BLOB), i,
          x'00', x'00', 1, strftime('%s', 'now') * 1000 FROM n
      """
    )
    try expectLimit(service) { subscriber in
      try database.execute("DELETE FROM outbox WHERE subscriber_id > \(subscriber)")
    }
  }

  @Test(.needsPostgreSQL) func `a replica counts at most 10,000 waiting mails`() throws {
    let server = try #require(PostgreSQLServer.shared)
    let url = try server.newDatabase()
    let service = try Enlist(["--database", url] + .mail + .openMetrics)
    _ = try server.query(
      """
      INSERT INTO enlist.\(Self.columns)
        SELECT 1, now() + interval '1 hour', decode(lpad(i::text, 44, '0'), 'hex'), i, '\\x00',
          '\\x00', 1, now() FROM generate_series(1, 10001) AS i
      """, url)
    try expectLimit(service) { subscriber in
      _ = try server.query("DELETE FROM enlist.outbox WHERE subscriber_id > \(subscriber)", url)
    }
  }
}
