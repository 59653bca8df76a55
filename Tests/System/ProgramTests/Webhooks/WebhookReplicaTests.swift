import Foundation
import TestSupport
import Testing

/// Webhooks of two replicas on one database, of which one at a time sends.
@Suite(.needsPostgreSQL, .needsPython)
struct WebhookReplicaTests {
  @Test func `another replica takes over when the sender is killed, and loses nothing`() throws {
    let list = try ReplicatedList()
    let flags = ["--webhook-networks", "127.0.0.0/8", "--signup-rate", "off"]
    var replicas = try (1...2).map { _ in try list.replica(flags) }
    let receiver = try TestReceiver()
    let create = try ChildProcess(
      "enlist",
      ["webhooks", "create", "--url", receiver.url, "--database", list.url] + flags.prefix(2),
      in: replicas[0].folder)
    _ = try create.readOutput()
    try #require(try create.wait() == .exit(0), "\(create.standardError)")
    var last: [Int: Int] = [:]
    var seen: Set<Int> = []
    func receive(_ count: Int) throws {
      let deadline = Deadline(after: .seconds(120))
      while seen.count < count {
        let request = try #require(try receiver.next(by: deadline))
        let position = try #require(request.position)
        let subscriber = try #require(request.subscriber)
        guard seen.insert(position).inserted else { continue }
        #expect(last[subscriber] ?? 0 < position)
        last[subscriber] = position
      }
    }
    for number in 0..<20 {
      #expect(try replicas[number % 2].signUp("p\(number % 5)@example.com").status == 202)
    }
    try receive(20)
    // The one that has the lease.
    let session = try list.session()
    #expect(try session.count("SELECT count(DISTINCT lease_owner) FROM enlist.webhooks") == 1)
    for number in 0..<20 {
      #expect(try replicas[number % 2].signUp("p\(number % 5)@example.com").status == 202)
    }
    replicas.removeFirst().process.send(signal: SIGKILL)
    for number in 0..<20 {
      #expect(try replicas[0].signUp("p\(number % 5)@example.com").status == 202)
    }
    try receive(60)
    #expect(seen == Set(1...60))
  }
}
