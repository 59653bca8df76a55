import Glibc
import TestSupport
import Testing

/// Tests of the mails that a replica leaves behind.
@Suite(
  .needsPostgreSQL,
  .needsPython)
struct EndedReplicaTests {
  @Test(arguments: [SIGKILL, SIGTERM])
  func `an idle replica sends the mails of one that has ended`(signal: Int32) throws {
    let (list, relay) = (try ReplicatedList(), try MailRelay())
    // A lease is three times as long.
    let replicas = try (1...2).map { run in
      try list.replica(relay.flags(run: run) + ["--smtp-timeout", "2s", "--drain", "1s"])
    }
    // Each mail takes a second, two at a time.
    let addresses = (10..<22).map { "slow.1000.\($0)@example.com" }
    for address in addresses { #expect(try replicas[0].signUp(address).status == 202) }
    replicas[0].process.send(signal: signal)
    // Without looking at the other's leases it would take a minute.
    try Deadline(after: .seconds(40)).wait {
      try Set(relay.mails().map(\.recipient)) == Set(addresses)
    }
    #expect(try relay.mails().contains { $0.run == 2 })
  }
}
