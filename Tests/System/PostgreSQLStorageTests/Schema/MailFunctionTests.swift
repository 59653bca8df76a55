import MailingList
import TestSupport
import Testing

@testable import PostgreSQLStorage

@Suite(.needsPostgreSQL, .timeLimit(.minutes(15)))
struct MailFunctionTests {
  typealias List = ListUnderTest

  private static let lease = List.now.adding(.seconds(180))
  private static let first: [UInt8] = [1]
  private static let second: [UInt8] = [2]

  private static func claim(_ most: Int32, _ session: PostgreSQLSession) throws -> [[UInt8]] {
    let rows = try session.execute(
      Query("SELECT id, mails FROM enlist.claim_mails($1, $2, $3, $3)")
        .binding(List.now).binding(lease).binding(most),
      by: .soon
    )
    return try (0..<rows.count).map { try rows.required($0, 0) }
  }

  private static func grant(
    _ ids: [[UInt8]],
    latest: [Timestamp?],
    charges: Bool = true,
    deleting deleted: [[UInt8]] = [],
    _ session: PostgreSQLSession
  ) throws -> [Bool?] {
    let places = (1...13).map { "$\($0)" }.joined(separator: ", ")
    var query = Query("SELECT enlist.grant_mails(\(places))")
    query.bind(lease)
    query.bind(List.now)
    query.bind(array: deleted)
    query.bind(array: ids)
    query.bind(array: ids.map { _ in charges })
    query.bind(array: latest)
    query.bind(array: ids.map { _ in "mail@example.org" })
    query.bind(array: ids.map { _ in [0xDD] as [UInt8] })
    query.bind(array: ids.map { $0 + [1] })
    query.bind(array: ids.map { $0 + [2] })
    query.bind(List.days(7))
    query.bind(array: ids.map { $0 + [3] })
    query.bind(List.now.adding(.seconds(1800)))
    return try #require(try session.execute(query, by: .soon).array(0, 0, of: Bool.self))
  }

  @Test func `a claim leases the mails that are longest due, and removes those not to be sent`()
    throws
  {
    let list = try List(Membership(state: .pending))
    try list.addMail(Self.second, dueAt: List.days(-1))
    try list.addMail(Self.first, dueAt: List.days(-2))
    try list.addMail([3], dueAt: List.now)
    try list.addMail([4], dueAt: List.now, queue: 0)
    try list.addMail([5], dueAt: List.days(1))
    #expect(try Self.claim(2, list.session) == [Self.first, Self.second])
    #expect(try Self.claim(2, list.session) == [[3]])
    #expect(try Self.claim(2, list.session) == [])
    #expect(
      try list.column("SELECT concat_ws(' ', id, is_claimed) FROM outbox ORDER BY id") == [
        "\\x01 t", "\\x02 t", "\\x03 t", "\\x05 f",
      ]
    )
  }

  @Test func `two relays never claim the same mail`() throws {
    let database = try TestDatabase()
    let (first, second) = (try database.session(), try database.session())
    try first.execute(
      script: """
        INSERT INTO enlist.outbox(
          queue, due_at, id, subscriber_id, consent_id, mailbox, kind, created_at
        ) SELECT 1, 'epoch', decode(lpad(n::text, 2, '0'), 'hex'), n, '', '', 1, 'epoch'
          FROM generate_series(1, 4) AS n
        """,
      by: .soon
    )
    try first.execute(Query("BEGIN"), by: .soon)
    #expect(try Self.claim(3, first) == [[1], [2], [3]])
    #expect(try Self.claim(3, second) == [[4]])
    try first.execute(Query("COMMIT"), by: .soon)
  }

  @Test func `a grant charges the mailbox and stores links and code`() throws {
    let list = try List(Membership(state: .pending))
    try list.addMail(Self.first, dueAt: List.days(-1))
    #expect(try Self.claim(1, list.session) == [Self.first])
    #expect(try Self.grant([Self.first], latest: [nil], list.session) == [true])
    #expect(
      try list.column("SELECT concat_ws(' ', hash, purpose) FROM tokens ORDER BY hash") == [
        "\\x0101 1", "\\x0102 0",
      ]
    )
    #expect(try list.column("SELECT hash::text FROM codes") == ["\\x0103"])
    #expect(try list.column("SELECT count(*)::text FROM mailboxes WHERE mail_2 IS NULL") == ["1"])
    #expect(try list.column("SELECT is_claimed::text FROM outbox") == ["true"])
  }

  @Test(arguments: [nil, ListUnderTest.days(-2)])
  func `a grant loses if the mailbox was charged since it was read`(latest: Timestamp?) throws {
    let list = try List(Membership(state: .pending))
    try list.addMail(Self.first, dueAt: List.days(-1))
    #expect(try Self.claim(1, list.session) == [Self.first])
    try list.session.execute(
      Query("INSERT INTO enlist.mailboxes(mac, mail_1) VALUES ($1, $2)")
        .binding(List.mailbox).binding(List.days(-1)),
      by: .soon
    )
    #expect(try Self.grant([Self.first], latest: [latest], list.session) == [false])
    #expect(try list.column("SELECT hash::text FROM tokens") == [])
    #expect(try Self.claim(1, list.session) == [Self.first], "due again immediately")
    #expect(try Self.grant([Self.first], latest: [List.days(-1)], list.session) == [true])
  }

  @Test func `a grant knows the mail before it in the same batch`() throws {
    let list = try List(Membership(state: .pending))
    try list.addMail(Self.first, dueAt: List.days(-2))
    try list.addMail(Self.second, dueAt: List.days(-1))
    _ = try Self.claim(2, list.session)
    let granted = try Self.grant([Self.first, Self.second], latest: [nil, nil], list.session)
    #expect(granted == [true, false])
  }

  @Test func `a grant deletes what is dropped, and nothing whose lease has ended`() throws {
    let list = try List(Membership(state: .pending))
    try list.addMail(Self.first, dueAt: List.days(-2))
    try list.addMail(Self.second, dueAt: List.days(-1))
    _ = try Self.claim(1, list.session)
    let granted = try Self.grant(
      [Self.second],
      latest: [nil],
      deleting: [Self.first, Self.second],
      list.session
    )
    #expect(granted == [false])
    #expect(try list.column("SELECT id::text FROM outbox") == ["\\x02"])
    #expect(try list.column("SELECT mac::text FROM mailboxes") == [])
  }

  @Test func `another attempt keeps the tries of its code and charges nothing`() throws {
    let list = try List(Membership(state: .pending))
    try list.addMail(Self.first, dueAt: List.days(-1))
    try list.execute("INSERT INTO codes(subscriber_id, hash, tries) VALUES (77, '\\x0103', 4)")
    _ = try Self.claim(1, list.session)
    let granted = try Self.grant([Self.first], latest: [nil], charges: false, list.session)
    #expect(granted == [true])
    #expect(try list.column("SELECT tries::text FROM codes") == ["4"])
    #expect(try list.column("SELECT mac::text FROM mailboxes") == [])
    try list.execute("UPDATE codes SET hash = '\\x00'")
    _ = try Self.grant([Self.first], latest: [nil], charges: false, list.session)
    #expect(try list.column("SELECT tries::text FROM codes") == ["0"])
  }

  @Test func `settling changes rejections as the table says`() throws {
    let list = try List()
    for before in List.memberships where before.state != nil {
      for (outcome, after) in [
        (1, before.delivered()), (2, before.rejected(at: List.now)), (3, nil),
      ] as [(Int16, Membership?)] {
        try list.reset(to: before)
        try list.addMail(dueAt: Self.lease)
        try Self.settle(List.mail, Self.lease, outcome, list.session)
        #expect(try list.membership == after ?? before, "\(before), \(outcome)")
        #expect(try list.mails == [])
      }
    }
  }

  @Test func `settling releases and postpones, and ignores a lease that has ended`() throws {
    let list = try List(Membership(state: .pending))
    let row = "SELECT concat_ws(' ', due_at = $$\(Self.lease)$$, attempts, last_error) FROM outbox"
    try list.addMail(dueAt: Self.lease)
    try Self.settle(List.mail, List.days(1), 1, list.session)
    #expect(try list.column(row) == ["t 0"])
    try Self.settle(List.mail, Self.lease, 5, list.session)
    #expect(try list.column(row) == ["f 0"])
    try Self.settle(List.mail, List.days(2), 4, error: "RCPT 451", list.session)
    #expect(try list.column(row) == ["f 1 RCPT 451"])
  }

  private static func settle(
    _ id: [UInt8],
    _ lease: Timestamp,
    _ outcome: Int16,
    error: String? = nil,
    _ session: PostgreSQLSession
  ) throws {
    try session.execute(
      Query("SELECT enlist.settle_mails($1, $2, $3, $4, $5, $6)")
        .binding(array: [id]).binding(array: [lease]).binding(array: [outcome])
        .binding(array: [List.now]).binding(array: [List.days(2)]).binding(array: [error]),
      by: .soon
    )
  }
}
