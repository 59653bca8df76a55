import TestSupport
import Testing

/// Tests of two processes on one database that send mails to one relay.
@Suite(
  .needsPostgreSQL,
  .needsPython)
struct SharedOutboxTests {
  private let relay: MailRelay
  private let replicas: [RunningService]

  init() throws {
    let (list, relay) = (try ReplicatedList(), try MailRelay())
    self.relay = relay
    replicas = try (1...2).map { try list.replica(relay.flags(run: $0)) }
  }

  /// Signs addresses up by turns on the replicas, without waiting for responses in between.
  private func signUp(_ addresses: [String]) throws {
    let clients = try addresses.enumerated().map { number, address in
      let service = replicas[number % replicas.count]
      let client = try service.connect()
      try client.sendSignUp(of: address)
      return client
    }
    for client in clients { #expect(try client.readResponse().status == 202) }
    for replica in replicas {
      try replica.waitUntilOutboxIsEmpty(by: Deadline(after: .seconds(30)))
    }
  }

  @Test func `each mail is sent once, whichever replica sends it`() throws {
    // Each mail takes 300 ms, two at a time on each replica.
    let addresses = (10..<34).map { "slow.300.\($0)@example.com" }
    try signUp(addresses)
    let mails = try relay.mails()
    #expect(mails.map(\.recipient).sorted() == addresses)
    #expect(Set(mails.compactMap(\.run)) == [1, 2])
  }

  @Test func `the budget of a mailbox holds for all replicas together`() throws {
    // Tags of one mailbox, which may get one mail within ten minutes.
    let addresses = (0..<16).map { "ana+\($0)@example.com" }
    try signUp(addresses)
    #expect(try relay.mails().count == 1)
    try signUp(addresses)
    #expect(try relay.mails().count == 1)
  }

  @Test func `a code of one replica confirms on the other, and the first one's tab follows`()
    throws
  {
    let id = try replicas[0].signUp("ana@example.com").execution()
    let tab = try replicas[0].stream("/executions/\(id)/events?until=confirmed")
    #expect(try tab.readEvent()?.event == "started")
    #expect(try tab.readEvent()?.event == "completed")
    let code = try #require(try relay.waitForMails(1).first).code()
    let wrong = code == "000000" ? "000001" : "000000"
    for replica in replicas {
      let response = try replica.type(wrong, for: id)
      #expect(response.status == 422)
      // Each replica counts what is typed for an execution.
      #expect(response.text.contains(#""triesLeft":4"#))
    }
    #expect(try replicas[1].type(code, for: id).status == 200)
    let event = try #require(try tab.readEvent())
    #expect(event.event == "confirmed")
  }

  @Test func `the tries of a code are counted for all replicas together`() throws {
    let id = try replicas[0].signUp("ana@example.com").execution()
    let code = try #require(try relay.waitForMails(1).first).code()
    let wrong = code == "000000" ? "000001" : "000000"
    for number in 0..<10 {
      #expect(try replicas[number % 2].type(wrong, for: id).status == 422)
    }
    // Another execution, for which no code was typed yet; the code of the mail is the same.
    let other = try replicas[0].signUp("ana@example.com").execution()
    for replica in replicas {
      let response = try replica.type(code, for: other)
      #expect(response.status == 422)
      #expect(response.text.contains(#""triesLeft":4"#))
    }
  }
}
