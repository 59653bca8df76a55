import MailingList
import TestSupport
import Testing

@testable import PostgreSQLStorage

@Suite(.needsPostgreSQL, .timeLimit(.minutes(15)))
struct MemberFunctionTests {
  typealias List = ListUnderTest

  @Test(arguments: OptIn.allCases)
  func `a sign-up changes every membership as the table says`(optIn: OptIn) throws {
    let list = try List()
    for before in List.memberships {
      try list.reset(to: before)
      #expect(try list.signUp(optIn) == true)
      let (after, mail) = before.signUp(at: List.now, optIn: optIn)
      #expect(try list.membership == after, "\(before)")
      let mails = optIn == .double ? ["\(mail?.rawValue ?? 0)"] : []
      #expect(try list.mails == mails, "\(before)")
      #expect(try list.consents == ["requested"])
    }
  }

  @Test func `a sign-up of a suppressed address is suppressed, with either secret`() throws {
    for (hash, previous) in [(List.keyHash, nil), ([0xA0], [0xA0])] as [([UInt8], [UInt8]?)] {
      let list = try List()
      for reason in Suppression.allCases {
        try list.reset(to: .none)
        try list.session.execute(
          Query("INSERT INTO enlist.suppressions VALUES ($1, $2::bigint, $3)")
            .binding(hash).binding(reason.rawValue).binding(List.days(-31)),
          by: .soon
        )
        try list.signUp(.double, previousHash: previous)
        let expected = Membership(
          state: .suppressed,
          suppression: reason,
          suppressedAt: List.days(-31)
        )
        #expect(try list.membership == expected)
        #expect(try list.mails == [reason.endsWithConfirmation ? "1" : "0"])
      }
      try list.reset(to: .none)
      try list.execute("INSERT INTO suppressions VALUES ('\\xaa', 5, now())")
      try list.signUp(.double)
      #expect(try list.membership == Membership(state: .pending), "erased does not count")
    }
  }

  @Test func `a sign-up that is sent again is stored once`() throws {
    let list = try List()
    #expect(try list.signUp(.double) == true)
    #expect(try list.signUp(.double, again: true) == true)
    #expect(try list.consents == ["requested"])
    #expect(try list.mails == ["1"])
    #expect(
      try list.column(
        "SELECT array_agg(p & 3 ORDER BY p)::text FROM status_pending, unnest(payloads) AS p"
      ) == ["{0,1}"]
    )
  }

  @Test func `a sign-up loses while another session stores its address`() throws {
    let database = try TestDatabase()
    let (first, second) = (try database.session(), try database.session())
    try first.execute(Query("BEGIN"), by: .soon)
    #expect(try List.signUp(.double, id: [1], first) == true)
    #expect(try List.signUp(.double, id: [2], second) == false)
    try first.execute(Query("COMMIT"), by: .soon)
    #expect(try List.signUp(.double, id: [2], second) == true)
  }

  @Test(arguments: [
    (-1, 6), (-33, 1), (-55, 1), (-1, -1), (-5, 1),
  ])
  func `a link confirms as the table says`(madeAt: Int, expiresAt: Int) throws {
    let list = try List()
    for before in List.memberships where before.state != nil {
      try list.reset(to: before)
      try list.addLink(.confirm, madeAt: List.days(madeAt), expiresAt: List.days(expiresAt))
      let row = try list.session.execute(
        Query(
          "SELECT result::bigint, subscriber, next FROM enlist.confirm_link($1, $2, $3, $4, $5)"
        )
        .binding(List.token).binding([10] as [UInt8]).binding(List.now)
        .binding(array: List.texts).binding(array: [List.keyHash]),
        by: .soon
      )
      let result = try row.required(0, 0, as: Int64.self)
      let confirmation = before.confirm(
        at: List.now,
        linkMadeAt: List.days(madeAt),
        expiresAt: List.days(expiresAt)
      )
      switch confirmation {
      case .confirmed(let after):
        #expect(result == 3, "\(before)")
        #expect(try list.membership == after)
        #expect(try list.consents == ["requested", "confirmed link"])
      case .already:
        #expect(result == 2, "\(before)")
        #expect(try list.membership == before)
      case .gone:
        #expect(result == 1, "\(before)")
        #expect(try list.membership == before)
      }
      #expect(try row.value(0, 1, as: Int64.self) == (result > 1 ? List.subscriber : nil))
      #expect(try row.value(0, 2, as: String.self) == (result > 1 ? "next" : nil))
    }
  }

  @Test func `a confirmation ends the suppression of the address`() throws {
    let list = try List(Membership(state: .pending))
    try list.addLink(.confirm, madeAt: List.days(-1), expiresAt: List.days(6))
    try list.execute("INSERT INTO suppressions VALUES ('\\xaa', 1, now()), ('\\xab', 1, now())")
    try list.execute(
      """
      SELECT confirm_link('\\xcc', '\\x0a', '\(List.now)', '{}', ARRAY['\\xaa'::bytea])
      """
    )
    #expect(try list.column("SELECT key_hash::text FROM suppressions") == ["\\xab"])
  }

  @Test func `leaving follows the table`() throws {
    let list = try List()
    for before in List.memberships where before.state != nil {
      try list.reset(to: before)
      try list.addLink(.unsubscribe, madeAt: List.days(-55), expiresAt: nil)
      let result = try list.session.execute(
        Query("SELECT enlist.leave_list($1, 'one-click', $2, $3, $4)::bigint")
          .binding(List.token).binding([10] as [UInt8]).binding(List.now)
          .binding(array: List.texts),
        by: .soon
      )
      let after = before.leave(at: List.now)
      #expect(try result.required(0, 0, as: Int64.self) == (after == nil ? 1 : 2), "\(before)")
      #expect(try list.membership == after ?? before)
      let consents = after == nil ? ["requested"] : ["requested", "withdrawn one-click"]
      #expect(try list.consents == consents)
    }
  }

  @Test(arguments: [true, false])
  func `a renewal queues the mail that the table says`(canMail: Bool) throws {
    let list = try List()
    for before in List.memberships where before.state != nil {
      try list.reset(to: before)
      try list.addLink(.confirm, madeAt: List.days(-55), expiresAt: List.days(-48))
      let result = try list.session.execute(
        Query("SELECT enlist.renew_link($1, true, $2, $3, $4, $5, $6, $7, $3)::bigint")
          .binding(List.token).binding([10] as [UInt8]).binding(List.now)
          .binding(array: List.texts).binding(List.mail).binding(List.mailbox).binding(canMail),
        by: .soon
      )
      let kind = canMail ? before.renewal?.rawValue ?? 0 : 0
      #expect(try result.required(0, 0, as: Int64.self) == (kind > 0 ? 2 : 1), "\(before)")
      #expect(try list.mails == ["\(kind)"])
      #expect(try list.membership == before)
      #expect(try list.consents == ["requested", "requested renewal"])
    }
  }

  @Test(arguments: Suppression.allCases)
  func `a suppression replaces a weaker one`(reason: Suppression) throws {
    let list = try List()
    func suppress() throws -> Int64 {
      try list.session.execute(
        Query("SELECT enlist.suppress_address($1, $2, $3, $4)::bigint")
          .binding(List.key).binding(array: [List.keyHash, [0xA0]])
          .binding(Int16(truncatingIfNeeded: reason.rawValue)).binding(List.now),
        by: .soon
      ).required(0, 0)
    }
    for before in List.memberships where before.state != nil {
      try list.reset(to: before)
      let after = before.suppress(reason, at: List.now)
      #expect(try suppress() == (after == nil ? 2 : 1), "\(before)")
      #expect(try list.membership == after ?? before)
    }
    try list.reset(to: .none)
    #expect(try suppress() == 0)
    #expect(try suppress() == 2)
    try list.execute("UPDATE suppressions SET key_hash = '\\xa0', reason = 5")
    #expect(try suppress() == 0, "erased is no suppression")
    #expect(try list.column("SELECT key_hash::text FROM suppressions") == ["\\xaa"])
  }

  @Test func `unknown links and executions are unknown`() throws {
    let list = try List(Membership(state: .pending))
    try list.addLink(.confirm, madeAt: List.days(-1), expiresAt: List.days(6))
    #expect(
      try list.column(
        """
        SELECT concat_ws(' ',
          (SELECT result FROM confirm_link('\\x01', '\\x0a', now(), '{}', '{}')),
          leave_list('\\xcc', 'link', '\\x0a', now(), '{}'),
          renew_link('\\x01', true, '\\x0a', now(), '{}', '\\x02', '\\x03', true, now()),
          (SELECT count(*) FROM try_code('\\x01')),
          (SELECT count(*) FROM find_link('\\xcc', 1::smallint)),
          (SELECT count(*) FROM find_link('\\xcc', 0::smallint)))
        """
      ) == ["0 0 0 0 0 1"]
    )
  }

  @Test func `each try of a code counts, also without a code`() throws {
    let list = try List(Membership(state: .subscribed, confirmedAt: List.days(-50)))
    try list.addConsent()
    let tries = "SELECT concat_ws(' ', subscriber, hash, tries) FROM try_code('\\x09')"
    #expect(try list.column(tries) == ["77 1"])
    try list.execute("UPDATE codes SET hash = '\\x33'")
    #expect(try list.column(tries) == ["77 \\x33 2"])
  }

  @Test func `a code confirms until it expires or another replaces it`() throws {
    let list = try List(Membership(state: .pending))
    try list.addConsent()
    try list.execute(
      """
      INSERT INTO codes(subscriber_id, hash, made_at, expires_at, consent_id, message_id, wording)
        VALUES (77, '\\x33', now(), now() + interval '1 minute', '\\x09', 'm', '\\xdd')
      """
    )
    func confirm(_ code: String, in time: String = "0") throws -> [String?] {
      try list.column(
        """
        SELECT concat_ws(' ', result, next) FROM confirm_code(
          77, '\(code)', '\\x09', ('\\x' || encode(random()::text::bytea, 'hex'))::bytea,
          now() + interval '\(time)', '{}', '{}')
        """
      )
    }
    #expect(try confirm("\\x34") == ["1"])
    #expect(try confirm("\\x33", in: "1 minute") == ["1"])
    #expect(try confirm("\\x33") == ["3 next"])
    #expect(try confirm("\\x33") == ["2 next"])
    #expect(try list.consents == ["requested", "confirmed code"])
  }
}
