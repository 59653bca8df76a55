import MailingList
import TestSupport
import Testing

@testable import PostgreSQLStorage

@Suite(.needsPostgreSQL)
struct PostgreSQLListSessionTests {
  private let insert = Statement(
    "INSERT INTO enlist.suppressions(key_hash, reason, at) VALUES (?1, ?2, ?3)")
  private let strengthen = Statement(
    "UPDATE enlist.suppressions SET reason = ?2 WHERE key_hash = ?1 AND reason = ?3")

  private func reasons(_ session: PostgreSQLListSession) throws -> [Int64?] {
    let statement = Statement("SELECT reason FROM enlist.suppressions ORDER BY key_hash")
    return try session.rows(statement()) { $0.number(0) }
  }

  @Test func `a group whose guarded row has changed changes nothing, and others are made`() throws {
    let session = PostgreSQLListSession(try TestDatabase().session(), by: .soon)
    let groups = [
      [insert(.bytes([1]), .number(1), .time(.now))],
      [
        insert(.bytes([2]), .number(1), .time(.now)),
        strengthen(.bytes([1]), .number(3), .number(2)).required,
        insert(.bytes([3]), .number(1), .time(.now)),
      ],
      [strengthen(.bytes([1]), .number(4), .number(1)).required],
    ]
    #expect(try session.change(groups: groups) == [true, false, true])
    #expect(try reasons(session) == [4])
    #expect(session.failure == nil)
  }

  @Test func `an error of the server is not taken for a changed row`() throws {
    let session = PostgreSQLListSession(try TestDatabase().session(), by: .soon)
    let row = insert(.bytes([1]), .number(1), .time(.now))
    #expect(try session.change([row]))
    #expect(throws: StoreError.self) { try session.change([row]) }
    guard case .server(let state) = session.failure else {
      Issue.record("\(String(describing: session.failure))")
      return
    }
    #expect(state.description == "23505")
  }
}
