import MailingList
import TestSupport
import Testing

@testable import PostgreSQLStorage

@Suite(.needsPostgreSQL)
struct SignUpFunctionTests {
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
          state: .suppressed, suppression: reason, suppressedAt: List.days(-31))
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
        "SELECT array_agg(p & 3 ORDER BY p)::text FROM status_pending, unnest(payloads) AS p") == [
          "{0,1}"
        ])
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
}
