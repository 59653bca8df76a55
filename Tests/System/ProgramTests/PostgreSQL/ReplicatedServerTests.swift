import TestSupport
import Testing

@testable import PostgreSQLStorage

/// A switch to a server that logical replication has filled.
@Suite(.needsPostgreSQL) struct ReplicatedServerTests {
  @Test func `new people are stored at once after a switch by logical replication`() throws {
    let list = try ReplicatedList()
    let first = try list.replica()
    for index in 0..<6 {
      #expect(try first.signUp("p\(index)@example.com").status == 202)
    }
    _ = try first.endAndReadLog()
    let session = try list.session()
    let restart = "ALTER SEQUENCE enlist.subscribers_id_seq RESTART"
    try session.execute(script: restart, by: .soon)
    let second = try list.replica()
    #expect(try second.signUp("new@example.com").status == 202)
    // The last rows arrive after the service has connected.
    try session.execute(script: restart, by: .soon)
    for name in ["newer", "newest"] {
      #expect(try second.signUp("\(name)@example.com").status == 202)
    }
    let people = try list.count("SELECT count(*) FROM enlist.subscribers")
    #expect(people == 9)
    let log = try second.endAndReadLog()
    #expect(!log.contains("failed"), "\(log)")
  }
}
