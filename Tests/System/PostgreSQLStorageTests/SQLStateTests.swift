import MailingList
import Testing

@testable import PostgreSQLStorage

@Suite struct SQLStateTests {
  @Test(arguments: ["00000", "23505", "57P01", "XX001", "ZZZZZ"])
  func `packs five characters`(text: String) throws {
    let state = try #require(SQLState(text))
    #expect(state.description == text)
  }

  @Test func `packs as the server does`() throws {
    // MAKE_SQLSTATE('2','3','5','0','5')
    #expect(try #require(SQLState("23505")).code == 2 | 3 << 6 | 5 << 12 | 0 << 18 | 5 << 24)
  }

  @Test(arguments: ["", "2350", "235055", "2350a", "2350 ", "é0505"])
  func `rejects anything else`(text: String) {
    #expect(SQLState(text) == nil)
  }

  @Test(
    arguments: [
      ("53100", .full), ("55P03", .locked), ("57014", .locked), ("40P01", .locked),
      ("25006", .readOnly), ("XX001", .damaged), ("XX002", .damaged), ("53300", .unreachable),
      ("08000", .unreachable), ("08006", .unreachable), ("57P01", .unreachable),
      ("57P03", .unreachable), ("53200", nil), ("23505", nil), ("42P01", nil), ("XX000", nil),
    ] as [(String, StoreError?)]
  )
  func `becomes an error of the store`(text: String, expected: StoreError?) throws {
    let state = try #require(SQLState(text))
    #expect(StoreError(state) == expected ?? .rejected(state: text))
    #expect(StoreError(.server(state)) == StoreError(state))
  }

  @Test(
    arguments: [
      ("23505", "the store failed with SQLSTATE 23505"),
      ("0A000", "the store failed with SQLSTATE 0A000"),
      (
        "42501",
        "the store failed with SQLSTATE 42501: the role may only read, or lacks rights on a table"
      ),
    ]
  )
  func `the operator reads the code as the server writes it`(text: String, message: String) throws {
    #expect(StoreError(try #require(SQLState(text))).description == message)
  }

  @Test(arguments: [
    ("42501", "the store failed with SQLSTATE 42501: the role may only read, or lacks rights on a"),
    ("53100", "(dbname=list): SQLSTATE 53100: the disk is full; free space on it."),
    ("57014", "(dbname=list): SQLSTATE 57014: another process holds the lock; end that process"),
    ("0A000", "(dbname=list): the store failed with SQLSTATE 0A000."),
  ])
  func `only a role that lacks rights is told which it needs`(code: String, cause: String) {
    let text = PostgreSQLOpeningError.failed(location: "dbname=list", code: code).description
    #expect(text.hasPrefix("The database cannot be used (dbname=list): "))
    #expect(text.contains(cause), "\(text)")
    #expect(text.contains("it must own it, or may create it") == (code == "42501"), "\(text)")
  }

  @Test func `errors without a code become errors of the store`() {
    #expect(StoreError(PostgreSQLError.unreachable) == .unreachable)
    #expect(StoreError(PostgreSQLError.undetermined) == .undetermined)
    #expect(StoreError(PostgreSQLError.malformed) == .damaged)
  }

  @Test(arguments: [
    ("22021", true), ("23505", true), ("42501", true), ("P0001", true), ("21000", false),
    ("53200", false), ("57014", false), ("25006", false),
  ])
  func `tells whether one member of a batch is the cause`(text: String, expected: Bool) throws {
    #expect(try #require(SQLState(text)).concernsMember == expected)
  }

  @Test(arguments: [
    ("25006", true), ("08006", true), ("57P01", true), ("25P03", true), ("25P04", true),
    ("57014", false), ("53300", false), ("25001", false),
  ])
  func `tells whether the connection has to be opened again`(text: String, expected: Bool) throws {
    #expect(try #require(SQLState(text)).endsConnection == expected)
  }
}
