import MailingList
import TestSupport
import Testing

@testable import PostgreSQLStorage

@Suite(.needsPostgreSQL, .timeLimit(.minutes(15)))
struct RemovalFunctionTests {
  typealias List = ListUnderTest

  private static let rows = """
    SELECT concat_ws(' ', (SELECT count(*) FROM subscribers), (SELECT count(*) FROM consents),
      (SELECT count(*) FROM tokens), (SELECT count(*) FROM codes), (SELECT count(*) FROM outbox))
    """

  private static func purge(_ list: List) throws -> [String?] {
    var query = Query("SELECT enlist.purge_subscribers($1, $2, ARRAY[NULL::bytea], $3, $4)::text")
    query.bind(array: [List.subscriber])
    query.bind(array: [List.keyHash])
    query.bind(List.days(-30))
    query.bind(List.now)
    return [try list.session.execute(query, by: .soon).value(0, 0, as: String.self)]
  }

  @Test func `erasing deletes all that belongs to a subscriber`() throws {
    let list = try List(Membership(state: .pending))
    try list.addLink(.unsubscribe, madeAt: List.days(-1), expiresAt: nil)
    try list.addMail(dueAt: List.now)
    try list.execute("INSERT INTO codes(subscriber_id) VALUES (77)")
    #expect(try list.column(Self.rows) == ["1 1 1 1 1"])
    let erased = """
      SELECT concat_ws(' ', subscribers, consents, suppressions)
      FROM erase_subscribers(
        ARRAY['\(List.key)', 'x'], ARRAY['a', 'b']::bytea[], ARRAY[NULL, NULL]::bytea[], false, now()
      )
      """
    #expect(try list.column(erased) == ["1 1 0"])
    #expect(try list.column(Self.rows) == ["0 0 0 0 0"])
    #expect(try list.column(erased) == ["0 0 0"])
  }

  @Test func `the purge deletes those who never confirmed within thirty days`() throws {
    let list = try List()
    for before in List.memberships where before.state != nil {
      try list.reset(to: before)
      try list.addConsent()
      let isForgotten =
        before.confirmedAt == nil && before.state != .subscribed
        && (before.endedAt ?? .distantPast) <= List.days(-30)
      #expect(try Self.purge(list) == [isForgotten ? "1" : "0"], "\(before)")
      let kept = before.suppression.map { !$0.endsWithConfirmation } ?? false
      #expect(
        try list.column("SELECT reason::text FROM suppressions")
          == (isForgotten && kept ? ["\(before.suppression?.rawValue ?? 0)"] : [])
      )
    }
  }

  @Test func `the purge keeps those with a link that works or a mail that waits`() throws {
    let list = try List(Membership(state: .pending))
    try list.addLink(.confirm, madeAt: List.days(-1), expiresAt: List.days(1))
    #expect(try Self.purge(list) == ["0"])
    try list.execute("DELETE FROM tokens")
    for queue in [1, 2] as [Int64] {
      try list.addMail(dueAt: List.days(1), queue: queue)
      #expect(try Self.purge(list) == ["0"])
      try list.execute("DELETE FROM outbox")
    }
    #expect(try Self.purge(list) == ["1"])
  }

  @Test func `the purge skips an address that is being signed up`() throws {
    let database = try TestDatabase()
    let (first, second) = (try database.session(), try database.session())
    #expect(try List.signUp(.double, first) == true)
    try first.execute(script: "DELETE FROM enlist.outbox", by: .soon)
    let purge = Query(
      """
      SELECT enlist.purge_subscribers(
        ARRAY(SELECT id FROM enlist.subscribers), $1, ARRAY[NULL::bytea], 'infinity', 'infinity'
      )::text
      """
    ).binding(array: [List.keyHash])
    try first.execute(Query("BEGIN"), by: .soon)
    #expect(try List.signUp(.double, id: [2], first) == true)
    #expect(try second.execute(purge, by: .soon).value(0, 0, as: String.self) == "0")
    try first.execute(Query("COMMIT"), by: .soon)
    #expect(
      try second.execute(purge, by: .soon).value(0, 0, as: String.self) == "0",
      "a mail waits"
    )
  }

  @Test func `rows that no subscriber needs are purged`() throws {
    let list = try List(Membership(state: .pending))
    try list.execute(
      """
      INSERT INTO tokens VALUES
        ('\\x01', 0, 1, '', now(), now() - interval '31 days', NULL, '', ''),
        ('\\x02', 0, 1, '', now(), now() - interval '29 days', NULL, '', ''),
        ('\\x03', 1, 1, '', now(), NULL, NULL, '', '');
      INSERT INTO codes(subscriber_id, expires_at) VALUES
        (1, NULL), (2, now() - interval '1 second'), (3, now() + interval '1 minute');
      INSERT INTO mailboxes(mac, mail_1) VALUES
        ('\\x01', now() - interval '31 days'), ('\\x02', now() - interval '29 days')
      """
    )
    let purge = "SELECT purge_rows(now() - interval '30 days', now(), 1)::text"
    #expect(try list.column(purge) == ["3"])
    #expect(try list.column(purge) == ["1"])
    #expect(try list.column(purge) == ["0"])
    #expect(try list.column("SELECT hash::text FROM tokens ORDER BY hash") == ["\\x02", "\\x03"])
  }
}
