import Delivery
import MailingList
import SignalsTesting
import TestSupport
import Testing

@Suite struct OutboxRelayTests {
  @Test func `delivers the mails that have waited, the longest due first`() async throws {
    let test = RelayUnderTest(connectionCount: 1)
    try test.add("late", at: RelayUnderTest.start.adding(.milliseconds(-1)))
    try test.add("early", at: RelayUnderTest.start.adding(.seconds(-1)))
    test.run()
    test.advance(1)
    #expect(test.mailer.started == ["early", "late"])
    #expect(test.events == [.sent(.confirm), .sent(.confirm)])
    #expect(try await test.waiting == 0)
  }

  @Test func `delivers a new mail immediately, and does nothing in between`() async throws {
    let test = RelayUnderTest()
    test.run()
    test.advance(3600)
    #expect(test.outbox.transactions == ["claim 2"])
    try test.add("ada")
    test.advance()
    #expect(test.mailer.startTimes == [.seconds(3600)])
  }

  @Test func `settles a mail and claims the next one in one transaction`() throws {
    let test = RelayUnderTest(connectionCount: 1)
    try test.add("a", "b", "c")
    test.run()
    test.advance(10)
    #expect(
      test.outbox.transactions
        == ["claim 1", "settle 1, claim 1", "settle 1, claim 1", "settle 1, claim 1"]
    )
  }

  @Test(arguments: [1, 2, 5])
  func `delivers as many mails at a time as there are connections`(count: Int) async throws {
    let test = RelayUnderTest(connectionCount: count)
    test.mailer.duration = .seconds(1)
    for number in 0..<10 { try test.add("ada\(number)") }
    test.run()
    test.advance(Double(10 / count))
    #expect(test.mailer.maximumRunning == count)
    #expect(try await test.waiting == 0)
  }

  @Test func `a mail waits while all connections are busy`() throws {
    let test = RelayUnderTest(connectionCount: 1)
    test.mailer.duration = .seconds(5)
    try test.add("a")
    test.run()
    test.advance(1)
    try test.add("b")
    test.advance(1)
    #expect(test.mailer.started == ["a"])
    test.advance(3)
    #expect(test.mailer.started == ["a", "b"])
  }

  @Test func `an unavailable relay pauses, longer each time, and is reported once`() async throws {
    let test = RelayUnderTest()
    try test.add("a", "b")
    test.mailer.failure = .unavailable
    test.run()
    test.advance(10)
    test.mailer.failure = nil
    test.advance(10)
    #expect(
      test.mailer.startTimes
        == [0, 0, 1.1, 3.2, 7.3, 15.4, 15.5].map { .milliseconds(Int(($0 * 1000).rounded())) }
    )
    #expect(test.events == [.paused(.unavailable), .sent(.confirm), .resumed, .sent(.confirm)])
    // No attempt was counted.
    #expect(test.mailer.attempts.allSatisfy { $0 == 0 })
    #expect(try await test.waiting == 0)
  }

  @Test func `changes of the outbox wake a paused relay at most once`() async throws {
    let test = RelayUnderTest()
    try test.add("ada")
    test.mailer.failure = .unavailable
    test.run()
    let pendingCount = test.scheduler.pendingCount
    for number in 0..<100 { try test.add("bob\(number)") }
    #expect(test.scheduler.pendingCount <= pendingCount + 1)
    test.mailer.failure = nil
    test.advance(10)
    #expect(try await test.waiting == 0)
  }

  @Test func `a deferred mail is tried later, and the attempts count`() async throws {
    let test = RelayUnderTest()
    try test.add("ada")
    test.mailer.script("ada", .busy, .busy, nil)
    test.run()
    test.advance(200)
    #expect(
      test.mailer.startTimes == [0, 60.1, 180.2].map { .milliseconds(Int(($0 * 1000).rounded())) })
    #expect(test.mailer.attempts == [0, 1, 2])
    #expect(
      test.events
        == [.failed(.confirm, .busy), .failed(.confirm, .busy), .sent(.confirm)]
    )
    #expect(try await test.waiting == 0)
  }

  @Test(arguments: [.lost, .reply(421), .reply(454), .blocked] as [DeliveryError], [1, 2])
  func `thirty recipients without a usable reply do not delay another mail`(
    error: DeliveryError, connectionCount: Int
  ) throws {
    let test = RelayUnderTest(connectionCount: connectionCount)
    for number in 0..<30 {
      try test.add("stranger\(number)")
      test.mailer.script("stranger\(number)", error, error, error)
    }
    try test.add("ada", at: RelayUnderTest.start.adding(.milliseconds(1)))
    test.run()
    test.advance(4)
    // Each delivery takes 100 ms.
    #expect(test.mailer.started.firstIndex(of: "ada") == 30)
    #expect(test.mailer.startTimes.dropFirst(30).first == .milliseconds(3000 / connectionCount))
    #expect(!test.events.contains(.paused(error)))
  }

  @Test func `mails that failed once leave a connection to the others`() throws {
    let test = RelayUnderTest(connectionCount: 3)
    for local in ["a", "b", "c"] {
      try test.add(local)
      test.mailer.script(local, .lost, .lost)
    }
    test.run()
    test.advance(1)
    test.mailer.duration = .seconds(60)
    test.advance(100)
    #expect(test.mailer.started.count == 5)
    // One claim finds two of them, and one finds nothing for the connection that is left.
    #expect(test.outbox.transactions.suffix(2) == ["claim 3", "claim 1"])
    try test.add("ada", at: RelayUnderTest.start.adding(.seconds(101)))
    test.advance()
    #expect(test.mailer.started.last == "ada")
    test.advance(20)
    #expect(Set(test.mailer.started.dropFirst(3)) == ["a", "b", "ada", "c"])
  }

  @Test(arguments: [1, 2])
  func `a mail that failed once waits behind a new one, also after a pause`(
    connectionCount: Int
  ) throws {
    let test = RelayUnderTest(connectionCount: connectionCount)
    try test.add("old")
    test.mailer.script("old", .busy)
    test.run()
    test.advance(1)
    // Due at the 61st second.
    test.mailer.failure = .unavailable
    test.advance(60)
    #expect(test.events.last == .paused(.unavailable))
    try test.add("new", at: RelayUnderTest.start.adding(.seconds(61)))
    test.mailer.failure = nil
    test.advance(10)
    #expect(test.mailer.started.suffix(2) == ["new", "old"])
  }

  @Test func `another mail does not wait for a deferred one`() throws {
    let test = RelayUnderTest(connectionCount: 1)
    try test.add("a", "b")
    test.mailer.script("a", .busy)
    test.run()
    test.advance(1)
    #expect(test.mailer.started.sorted() == ["a", "b"])
  }

  @Test(
    arguments: [
      (.noMailbox, [.failed(.confirm, .noMailbox)]),
      (.noSMTPUTF8, [.failed(.confirm, .noSMTPUTF8)]),
    ] as [(DeliveryError, [OutboxRelayEvent])]
  )
  func `a mail that cannot be delivered is deleted`(
    _ error: DeliveryError, _ events: [OutboxRelayEvent]
  ) async throws {
    let test = RelayUnderTest()
    try test.add("ada")
    test.mailer.script("ada", error)
    test.run()
    test.advance(100_000)
    #expect(test.events == events)
    #expect(test.mailer.started.count == 1)
    #expect(try await test.waiting == 0)
  }

  @Test func `a rejection counts for the subscriber`() throws {
    let test = RelayUnderTest()
    try test.add("ada")
    test.mailer.script("ada", .noMailbox)
    test.run()
    test.advance(1)
    #expect(test.store.membership("ada@example.org")?.rejections == 1)
  }

  /// Such a relay rejects everyone, without a reason, until someone configures it.
  @Test(arguments: [DeliveryError.unexplained, .denied])
  func `a relay that does not relay yet harms nobody, and delivers all mails once it does`(
    _ error: DeliveryError
  ) async throws {
    let test = RelayUnderTest(connectionCount: 1)
    let domains = ["a", "b", "c", "d", "e"]
    for domain in domains { try test.add("ada@\(domain).example.org") }
    test.mailer.failure = error
    test.run()
    test.advance(600)
    #expect(try await test.waiting == 5)
    #expect(test.events.contains { if case .paused = $0 { true } else { false } })
    for domain in domains {
      #expect(test.store.membership("ada@\(domain).example.org")?.rejections == 0)
    }
    test.mailer.failure = nil
    test.advance(7200)
    #expect(try await test.waiting == 0)
    #expect(test.events.count { $0 == .sent(.confirm) } == 5)
  }

  @Test(arguments: [["ada@b.example.org"], ["x@c.org", "x@d.org", "x@e.org"]])
  func `a rejection without a reason counts once the relay has accepted others`(
    accepted: [String]
  ) async throws {
    let test = RelayUnderTest(connectionCount: 1)
    for address in accepted { try test.add(address) }
    test.run()
    test.advance(1)
    try test.add("nobody@b.example.org")
    test.mailer.script("nobody", .unexplained)
    test.advance(1)
    #expect(test.store.membership("nobody@b.example.org")?.rejections == 1)
    #expect(try await test.waiting == 0)
  }

  @Test func `three domains in a row that are not accepted pause the relay`() throws {
    let test = RelayUnderTest(connectionCount: 1)
    for domain in ["a", "b", "c", "d"] { try test.add("ada@\(domain).example.org") }
    test.mailer.failure = .blocked
    test.run()
    test.advance(1)
    #expect(test.mailer.started.count == 3)
    #expect(test.events.last == .paused(.blocked))
    test.mailer.failure = nil
    test.advance(1)
    #expect(test.mailer.startTimes.last == .milliseconds(1300))
    #expect(test.events.suffix(2) == [.sent(.confirm), .resumed])
  }

  @Test(arguments: [.blocked, .lost, .reply(421)] as [DeliveryError])
  func `forty domains that are not accepted keep another mail waiting for seconds`(
    error: DeliveryError
  ) throws {
    let test = RelayUnderTest(connectionCount: 1)
    for number in 0..<40 {
      try test.add("stranger\(number)@d\(number).example.org")
      test.mailer.script("stranger\(number)", error)
    }
    try test.add("ada", at: RelayUnderTest.start.adding(.seconds(1)))
    test.run()
    test.advance(59)
    #expect(test.mailer.started.last == "ada")
    #expect(test.events.suffix(2) == [.sent(.confirm), .resumed])
  }

  @Test func `a mail without a reply counts, and does not pause the relay`() throws {
    let test = RelayUnderTest(connectionCount: 1)
    try test.add("a", "b")
    test.mailer.script("a", .lost)
    test.mailer.script("b", .lost)
    test.run()
    test.advance(1)
    #expect(test.events == [.failed(.confirm, .lost), .failed(.confirm, .lost)])
    test.advance(100)
    #expect(test.mailer.attempts.sorted() == [0, 0, 1, 1])
  }

  @Test func `a mail is tried for three days, then it expires`() async throws {
    let test = RelayUnderTest()
    try test.add("ada")
    test.mailer.failure = .busy
    test.run()
    test.advance(3 * 86_400)
    #expect(test.events.last == .expired(.confirm))
    #expect(test.events.dropLast().allSatisfy { $0 == .failed(.confirm, .busy) })
    #expect(try await test.waiting == 0)
  }

  @Test func `a mail that is too old is not sent`() async throws {
    let test = RelayUnderTest()
    try test.add("ada", at: RelayUnderTest.start.adding(.seconds(-3 * 86_400)))
    test.run()
    #expect(test.events == [.expired(.confirm)])
    #expect(test.mailer.started.isEmpty)
    #expect(try await test.waiting == 0)
  }

  @Test func `mails that are withheld are reported`() async throws {
    let test = RelayUnderTest(connectionCount: 1)
    try test.add("ada+1", "ada+2")
    test.run()
    test.advance(1)
    #expect(test.events == [.sent(.confirm), .withheld(1)])
    #expect(try await test.waiting == 0)
  }

  // MARK: Draining

  @Test func `draining lets conversations end, and claims no more mails`() async throws {
    let test = RelayUnderTest(connectionCount: 1)
    test.mailer.duration = .seconds(3)
    try test.add("a", "b")
    test.run()
    test.drain(within: .seconds(5))
    #expect(!test.isComplete)
    test.advance(3)
    #expect(test.isComplete)
    #expect(test.events == [.sent(.confirm)])
    #expect(test.outbox.transactions.last == "settle 1")
    #expect(try await test.waiting == 1)
  }

  @Test func `draining releases what does not end in time`() async throws {
    let test = RelayUnderTest()
    test.mailer.duration = .seconds(100)
    try test.add("a", "b")
    test.run()
    test.drain(within: .seconds(5))
    test.advance(4.9)
    #expect(!test.isComplete)
    test.advance(0.1)
    #expect(test.isComplete)
    #expect(test.mailer.canceled.sorted() == ["a", "b"])
    // Both are due, and no attempt was counted.
    test.mailer.duration = .zero
    test.run()
    test.advance(1)
    #expect(try await test.waiting == 0)
    #expect(test.mailer.attempts == [0, 0, 0, 0])
  }

  @Test func `draining without mails completes immediately`() {
    let test = RelayUnderTest()
    test.run()
    test.drain(within: .seconds(5))
    #expect(test.isComplete)
  }

  @Test func `draining ends in time if the store fails`() throws {
    let test = RelayUnderTest()
    test.mailer.duration = .seconds(3)
    try test.add("a")
    test.run()
    test.outbox.failure = .locked
    test.drain(within: .seconds(5))
    test.advance(5)
    #expect(test.isComplete)
  }

  @Test func `disposal cancels the deliveries`() throws {
    let test = RelayUnderTest()
    test.mailer.duration = .seconds(3)
    try test.add("a")
    test.run()
    test.dispose()
    #expect(test.mailer.canceled == ["a"])
    test.advance(100)
    #expect(test.events.isEmpty)
  }

  // MARK: The store

  @Test func `a result is settled when the store works again`() async throws {
    let test = RelayUnderTest()
    test.mailer.duration = .seconds(1)
    try test.add("a")
    test.run()
    test.outbox.failure = .locked
    test.advance(10)
    test.outbox.failure = nil
    test.advance(10)
    #expect(test.events == [.sent(.confirm), .storeFailed(.locked)])
    #expect(test.mailer.started == ["a"])
    #expect(try await test.waiting == 0)
  }

  @Test func `a closed store completes the relay`() throws {
    let test = RelayUnderTest()
    test.mailer.duration = .seconds(3)
    try test.add("a")
    test.run()
    test.outbox.failure = .closed
    try test.add("b")
    test.advance()
    #expect(test.isComplete)
    #expect(test.mailer.canceled == ["a"])
  }
}
