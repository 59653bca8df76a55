import Glibc
import TestSupport
import Testing

/// Tests of two processes on one database that send mails to one relay.
@Suite(.needsPostgreSQL, .needsPython)
struct SharedOutboxTests {
  private let list: ReplicatedList
  private let relay: TestRelay

  init() throws {
    (list, relay) = (try ReplicatedList(), try TestRelay())
  }

  /// Starts two replicas, whose mails name them.
  private func replicas(_ flags: [String] = []) throws -> [Enlist] {
    try (1...2).map { run in
      try list.replica(["--mail-reply-to", "run\(run)@example.org"] + flags, relay: relay)
    }
  }

  /// Signs addresses up by turns on the replicas, without waiting for responses in between.
  private func signUp(_ addresses: [String], on replicas: [Enlist]) throws {
    let clients = try addresses.enumerated().map { number, address in
      let client = try replicas[number % 2].connect()
      try client.sendSignUp(of: address)
      return client
    }
    for client in clients { try client.readResponse().expect(202) }
    for replica in replicas { try replica.waitUntilOutboxIsEmpty() }
  }

  @Test func `each mail is sent once, whichever replica sends it`() throws {
    // Each mail takes 300 ms, two at a time on each replica.
    let addresses = (10..<34).map { "slow.300.\($0)@example.com" }
    try signUp(addresses, on: replicas())
    let mails = try relay.mails()
    #expect(mails.map(\.recipient).sorted() == addresses)
    #expect(Set(mails.map(\.sender)) == ["run1@example.org", "run2@example.org"])
  }

  @Test(arguments: [SIGKILL, SIGTERM])
  func `an idle replica sends the mails of one that has ended`(signal: Int32) throws {
    // A lease is three times as long.
    let replicas = try replicas(["--smtp-timeout", "2s", "--drain", "1s"])
    // Each mail takes a second, two at a time.
    let addresses = (10..<22).map { "slow.1000.\($0)@example.com" }
    for address in addresses { try replicas[0].signUp(address).expect(202) }
    replicas[0].process.send(signal)
    // Without looking at the other's leases it would take a minute.
    try eventually("a mail to each address", within: .seconds(40)) {
      try Set(relay.mails().map(\.recipient)) == Set(addresses)
    }
    let senders = try relay.mails().map(\.sender)
    #expect(senders.contains("run2@example.org"))
  }

  @Test func `the budget of a mailbox holds for all replicas together`() throws {
    let replicas = try replicas()
    // Tags of one mailbox, which may get one mail within ten minutes.
    let addresses = (0..<16).map { "ana+\($0)@example.com" }
    for _ in 0..<2 {
      try signUp(addresses, on: replicas)
      let mails = try relay.mails()
      #expect(mails.count == 1)
    }
  }

  @Test func `a code of one replica confirms on the other, and the first one's tab follows`()
    throws
  {
    let replicas = try replicas()
    let id = try replicas[0].signUp("ana@example.com").expect(202).execution
    let tab = try replicas[0].stream("/executions/\(id)/events?until=confirmed")
    let stored = try tab.readEventNames(2)
    #expect(stored == ["started", "completed"])
    let mail = try relay.mails(1)[0].text
    for replica in replicas {
      // Each replica counts what is typed for an execution.
      try expectFourTries(replica.type(mail.wrongCode, for: id))
    }
    try replicas[1].type(mail.code, for: id).expect(200)
    let event = try tab.readEvent()
    #expect(event?.event == "confirmed")
  }

  @Test func `the tries of a code are counted for all replicas together`() throws {
    let replicas = try replicas()
    let id = try replicas[0].signUp("ana@example.com").expect(202).execution
    let mail = try relay.mails(1)[0].text
    for number in 0..<10 { try replicas[number % 2].type(mail.wrongCode, for: id).expect(422) }
    // Another execution, for which no code was typed yet; the code of the mail is the same.
    let other = try replicas[0].signUp("ana@example.com").expect(202).execution
    for replica in replicas { try expectFourTries(replica.type(mail.code, for: other)) }
  }

  private func expectFourTries(_ response: Client.Response) {
    response.expect(422)
    #expect(response.text.contains(#""triesLeft":4"#), "\(response)")
  }
}

extension Mail {
  /// The address to which responses go.
  fileprivate var sender: String { fields["Reply-To"] ?? "" }
}
