import Foundation
import TestSupport
import Testing

/// Tests of a replica that a partition of the network separates from the database server while that
/// executes its statement.
@Suite(.needsPostgreSQL)
struct PartitionTests {
  private let list: ReplicatedList
  private let proxy: TestProxy

  init() throws {
    list = try ReplicatedList(on: PostgreSQLServer(listens: true))
    proxy = try TestProxy(to: list.server.port)
  }

  @Test func `a partition longer than the database timeout frees the address of the sign-up`()
    throws
  {
    let (separated, other) = (try separableReplica(), try list.replica())
    var acknowledged = [try separated.signUp("before@example.com").expect(202).execution]
    let held = try HeldTransactions(of: list)
    let (client, end) = try cut(off: separated, during: held)

    // The server gives up the statement after four fifths of --database-timeout.
    try held.letOthersPass()
    try held.waitForNone()
    acknowledged.append(try other.signUp("held@example.com").expect(202).execution)
    let undetermined = try client.readResponse().expect(503).text
    #expect(undetermined.contains("It is not known whether it was stored"), "\(undetermined)")
    try separated.get("/readyz").expect(503)
    pause(end - .now)
    proxy.heal()

    try separated.waitUntilReady()
    acknowledged.append(try separated.signUp("after@example.com").expect(202).execution)
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
    try held.waitForNone()
    let consents = try list.count("SELECT count(*) FROM enlist.consents")
    #expect(consents == 1)
    var acknowledged = [try other.signUp("held@example.com").expect(202).execution]
    pause(end - .now)
    proxy.heal()

    // The batch is sent again.
    acknowledged.append(try client.readResponse().expect(202).execution)
    try expectConsents(acknowledged)
    let subscribers = try list.count("SELECT count(*) FROM enlist.subscribers")
    #expect(subscribers == 1)
  }

  /// Starts a replica that a partition can separate from the server.
  private func separableReplica(_ flags: [String] = []) throws -> Enlist {
    let url = "postgres://\(PostgreSQLServer.role)@127.0.0.1:\(proxy.port)/\(list.name)"
    return try Enlist(["--database", url] + flags)
  }

  /// Separates a replica from the server while the server holds the transaction of its sign-up.
  ///
  /// - Returns: The client that waits for the response, and the earliest end of the partition.
  private func cut(
    off replica: Enlist, during held: HeldTransactions
  ) throws -> (client: Client, end: ContinuousClock.Instant) {
    let client = try replica.connect()
    try client.sendSignUp(of: "held@example.com")
    try held.waitForOne()
    proxy.cut()
    return (client, .now + .seconds(8))
  }

  /// Expects that each acknowledged sign-up has one consent, and that there is no other.
  private func expectConsents(_ executions: [String]) throws {
    let stored = try list.query("SELECT encode(id, 'hex') FROM enlist.consents")
      .split(separator: "\n").map(String.init)
    // The text of an id is base32hex: four of its characters are five of base 16, and the last one
    // of those is padding.
    let acknowledged = executions.map { text in
      stride(from: 0, to: text.count, by: 4)
        .map { String(format: "%05x", Int(text.dropFirst($0).prefix(4), radix: 32) ?? 0) }
        .joined().dropLast()
    }
    #expect(stored.sorted() == acknowledged.map(String.init).sorted())
  }
}
