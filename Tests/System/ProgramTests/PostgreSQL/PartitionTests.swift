import MailingList
import TestSupport
import Testing

@testable import PostgreSQLStorage

/// Tests of a replica that a partition of the network separates from the database server while that
/// executes its statement.
@Suite(.needsPostgreSQL)
struct PartitionTests {
  private static let server = try? PostgreSQLServer(listens: true)
  private static let duration: Duration = .seconds(8)

  private let list: ReplicatedList
  private let proxy: TestProxy

  init() throws {
    list = try ReplicatedList(on: Self.server)
    proxy = try TestProxy(to: list.server.port)
  }

  /// Starts a replica that a partition can separate from the server.
  private func separableReplica(_ arguments: [String] = []) throws -> RunningService {
    let url = "postgres://\(PostgreSQLServer.role)@127.0.0.1:\(proxy.port)/\(list.name)"
    return try RunningService(["--database", url] + arguments)
  }

  /// Separates a replica from the server while the server holds the transaction of its sign-up.
  ///
  /// - Returns: The client that waits for the response, and the earliest end of the partition.
  private func cut(
    off replica: RunningService, during held: HeldTransactions
  ) throws -> (client: SocketClient, end: Deadline) {
    let client = try replica.connect()
    try client.sendSignUp(of: "held@example.com")
    try held.waitForOne()
    proxy.cut()
    return (client, Deadline(after: Self.duration))
  }

  /// Expects that each acknowledged sign-up has one consent, and that there is no other.
  private func expectConsents(_ executions: [String]) throws {
    let rows = try list.session().execute(Query("SELECT id FROM enlist.consents"), by: .soon)
    let stored = try (0..<rows.count).map { row in
      try #require(ExecutionID(bytes: rows.required(row, 0, as: [UInt8].self))).description
    }
    #expect(stored.sorted() == executions.sorted())
  }

  @Test func `a partition longer than the database timeout frees the address of the sign-up`()
    throws
  {
    let (separated, other) = (try separableReplica(), try list.replica())
    var acknowledged = [try separated.signUp("before@example.com").execution()]
    let held = try HeldTransactions(of: list)
    let (client, end) = try cut(off: separated, during: held)

    // The server gives up the statement after four fifths of --database-timeout.
    try held.letOthersPass()
    try held.waitForNone(by: Deadline(after: .seconds(30)))
    acknowledged.append(try other.signUp("held@example.com").execution())
    let undetermined = try client.readResponse(by: Deadline(after: .seconds(30)))
    #expect(undetermined.status == 503)
    #expect(undetermined.text.contains("It is not known whether it was stored"))
    #expect(try separated.request("GET", "/readyz").status == 503)
    end.pass()
    proxy.heal()

    try separated.waitUntilReady()
    acknowledged.append(try separated.signUp("after@example.com").execution())
    try expectConsents(acknowledged)
    try list.expectComplete(["before", "held", "after"].map { "\($0)@example.com" })
  }

  @Test func `a sign-up that the server stores during a partition is acknowledged after it`() throws
  {
    let separated = try separableReplica(["--database-timeout", "30s"])
    let other = try list.replica()
    let held = try HeldTransactions(of: list)
    let (client, end) = try cut(off: separated, during: held)

    try held.release()
    try held.waitForNone(by: Deadline(after: .seconds(30)))
    #expect(try list.count("SELECT count(*) FROM enlist.consents") == 1)
    var acknowledged = [try other.signUp("held@example.com").execution()]
    end.pass()
    proxy.heal()

    // The batch is sent again.
    let response = try client.readResponse(by: Deadline(after: .seconds(30)))
    #expect(response.status == 202)
    acknowledged.append(try response.execution())
    try expectConsents(acknowledged)
    #expect(try list.count("SELECT count(*) FROM enlist.subscribers") == 1)
  }
}
