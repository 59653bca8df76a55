internal import EmailAddresses
internal import MailingList
internal import Signals
internal import Testing

extension OutboxConformance {
  /// The promises about settling claimed mails.
  static let settling: [Promise] = [
    Promise("a mail that was sent is deleted, and rejections before it do not count") { test in
      let mail = try await add(to: test, Membership(state: .pending, rejections: 1))
      let claimed = try await claim(test)
      try await settle(claimed, .sent, test)
      #expect(try await test.backlog()?.waiting == 0)
      #expect(try await test.membership(mail.recipient) == Membership(state: .pending))
    },
    Promise("a rejected mail is deleted, and the second rejection suppresses") { test in
      let mail = try await add(to: test)
      try await settle(try await claim(test), .rejected, test)
      #expect(
        try await test.membership(mail.recipient) == Membership(state: .pending, rejections: 1))
      let before = Membership(state: .pending, rejections: 1)
      try await test.add(try .sample(at: 1_800_000_900_000, membership: before))
      let second = try #require(try await test.claim(at: 901).mails.first)
      try await settle(second, .rejected, test, at: 902)
      let after = try await test.membership(mail.recipient)
      #expect(after.state == .suppressed)
      #expect(after.suppression == .hardBounce)
      #expect(after.suppressedAt == OutboxUnderTest.time(902))
      #expect(try await test.backlog()?.waiting == 0)
    },
    Promise("an undeliverable or expired mail is deleted and changes no membership") { test in
      for (outcome, address) in [
        (.undeliverable, "ada@example.org"), (.expired, "eve@example.org"),
      ] as [(DeliveryOutcome, String)] {
        let mail = try WaitingMail.sample(to: address)
        try await test.add(mail)
        try await settle(try await claim(test), outcome, test)
        #expect(try await test.membership(mail.recipient) == mail.membership)
      }
      #expect(try await test.backlog()?.waiting == 0)
    },
    Promise("a mail for later is due at that time, and the attempt counts") { test in
      try await add(to: test)
      let error = "deferred at RCPT: 450 4.2.0"
      try await settle(
        try await claim(test), .later(at: OutboxUnderTest.time(60), error: error), test)
      #expect(try await test.claim(at: 59).nextDueAt == OutboxUnderTest.time(60))
      let claimed = try #require(try await test.claim(at: 60).mails.first)
      #expect(claimed.attempts == 1)
      #expect(claimed.grantedAt == OutboxUnderTest.time(0))
    },
    Promise("a released mail is due at that time, and the attempt does not count") { test in
      try await add(to: test)
      try await settle(try await claim(test), .released(at: OutboxUnderTest.time(1)), test)
      let claimed = try #require(try await test.claim(at: 1).mails.first)
      #expect(claimed.attempts == 0)
    },
    Promise("only a mail that was not sent gives the mailbox its budget back") { test in
      let outcomes: [(DeliveryOutcome, String, sends: [Int])] = [
        (.unsent(at: OutboxUnderTest.time(1)), "ada@example.org", [1]),
        (.released(at: OutboxUnderTest.time(1)), "eve@example.org", [0]),
      ]
      for (outcome, address, sends) in outcomes {
        let mails = try [0, 1].map {
          try WaitingMail.sample(to: address, at: 1_800_000_000_000 + $0)
        }
        for mail in mails { try await test.add(mail) }
        let first = try #require(try await test.claim(limit: 1).mails.first)
        #expect(first.isFirstGrant)
        try await settle(first, outcome, test)
        let batch = try await test.claim(at: 2)
        #expect(batch.mails.map(\.id) == sends.map { mails[$0].id })
        #expect(batch.withheld == 1)
        for mail in batch.mails { try await settle(mail, .sent, test, at: 3) }
      }
    },
    Promise("a rejected recipient gives the mailbox its budget back") { test in
      try await test.add(try .sample(to: "ada+1@example.org"))
      let first = try await claim(test)
      // A mail that was granted since stays charged.
      try await test.add(try .sample(to: "ada@example.org", at: 1_800_000_000_500))
      let plain = try #require(try await test.claim(at: 1).mails.first)
      try await settle(plain, .sent, test, at: 2)
      try await settle(first, .rejected, test, at: 3)
      for (address, seconds, isSent) in [
        ("ada+2", 4, false), ("ada+3", 700, true), ("ada+4", 1400, true), ("ada+5", 2100, false),
      ] as [(String, Double, Bool)] {
        let time = OutboxUnderTest.time(seconds).millisecondsSince1970
        try await test.add(try .sample(to: "\(address)@example.org", at: time))
        let batch = try await test.claim(at: seconds)
        #expect(batch.mails.count == (isSent ? 1 : 0), "\(address) after \(seconds) s")
        for mail in batch.mails { try await settle(mail, .sent, test, at: seconds) }
      }
    },
    Promise("a rejection after another attempt gives the mailbox its budget back") { test in
      try await add(to: test)
      let error = "deferred"
      try await settle(
        try await claim(test), .later(at: OutboxUnderTest.time(60), error: error), test)
      let again = try #require(try await test.claim(at: 60).mails.first)
      try await settle(again, .rejected, test, at: 61)
      try await test.add(try .sample(at: 1_800_000_062_000))
      #expect(try await test.claim(at: 62).mails.count == 1)
    },
    Promise("a bounced address that is rejected again stays charged") { test in
      let membership = Membership(state: .suppressed, suppression: .hardBounce)
      try await add(to: test, membership)
      try await settle(try await claim(test), .rejected, test)
      let late = 29.0 * 86_400
      let time = OutboxUnderTest.time(late).millisecondsSince1970
      try await test.add(try .sample(at: time, membership: membership))
      #expect(try await test.claim(at: late).withheld == 1)
    },
    Promise("a mail that was not sent when it was tried again stays charged") { test in
      try await add(to: test)
      try await settle(
        try await claim(test), .later(at: OutboxUnderTest.time(1), error: "unknown"), test)
      let again = try #require(try await test.claim(at: 1).mails.first)
      #expect(!again.isFirstGrant)
      try await settle(again, .unsent(at: OutboxUnderTest.time(2)), test, at: 2)
      try await test.add(try .sample(at: 1_800_000_000_500))
      let batch = try await test.claim(at: 3)
      #expect(batch.mails.map(\.id) == [again.id])
      #expect(batch.withheld == 1)
    },
    Promise("a settlement is ignored when another claim has the mail") { test in
      let mail = try await add(to: test)
      let lost = try await claim(test)
      let current = try #require(try await test.claim(at: 180).mails.first)
      for outcome in [
        .sent, .rejected, .undeliverable, .expired, .released(at: OutboxUnderTest.time(0)),
        .unsent(at: OutboxUnderTest.time(0)), .later(at: OutboxUnderTest.time(0), error: "late"),
      ] as [DeliveryOutcome] {
        try await settle(lost, outcome, test, at: 181)
      }
      #expect(try await test.membership(mail.recipient) == mail.membership)
      #expect(try await test.claim(at: 200).nextDueAt == current.leasedUntil)
      try await settle(current, .sent, test, at: 201)
      #expect(try await test.backlog()?.waiting == 0)
    },
    Promise("settles and claims the next mails at once") { test in
      try await add(to: test)
      try await test.add(try .sample(to: "eve@example.org", at: 1_800_000_000_001))
      let first = try #require(try await test.claim(limit: 1, at: 1).mails.first)
      let batch = try await test.settle(
        MailSettlement(first, .sent, at: OutboxUnderTest.time(2)),
        claiming: OutboxUnderTest.request(1, at: 2))
      #expect(batch.mails.map(\.recipient.local) == ["eve"])
      #expect(batch.nextDueAt == OutboxUnderTest.time(182))
      #expect(try await test.backlog()?.waiting == 1)
    },
    Promise("settles several mails at once, and claims none without a claim") { test in
      for number in 0..<3 { try await test.add(try .sample(to: "ada\(number)@example.org")) }
      let mails = try await test.claim(limit: 2).mails
      try #require(mails.count == 2)
      let batch = try await test.settle(
        MailSettlement(mails[0], .sent, at: OutboxUnderTest.time(1)),
        MailSettlement(
          mails[1], .released(at: OutboxUnderTest.time(5)), at: OutboxUnderTest.time(1)))
      #expect(batch.mails.isEmpty)
      #expect(batch.nextDueAt == OutboxUnderTest.time(0))
      #expect(try await test.backlog()?.waiting == 2)
    },
    Promise("the second rejection drops what else waits for the address") { test in
      let membership = Membership(state: .pending, rejections: 1)
      try await test.add(try .sample(membership: membership))
      let claimed = try await claim(test)
      try await test.add(try .sample(at: 1_800_000_000_500, membership: membership))
      try await settle(claimed, .rejected, test, at: 1)
      #expect(try await test.claim(at: 900).dropped == 1)
    },
  ]

  /// The promises about counting what waits.
  static let counting: [Promise] = [
    Promise("counts a mail that was tried before") { test in
      try await add(to: test)
      try await postpone(try await claim(test), until: 60, test)
      #expect(try await test.backlog()?.waiting == 1)
    },
    Promise("counts what waits and what is leased") { test in
      #expect(
        try await test.backlog()
          == OutboxBacklog(waiting: 0, oldest: nil, isServedElsewhere: false)
      )
      try await test.add(try .sample(to: "eve@example.org", at: 1_800_000_001_000))
      try await add(to: test)
      let both = OutboxBacklog(
        waiting: 2, oldest: OutboxUnderTest.time(0), isServedElsewhere: false)
      #expect(try await test.backlog() == both)
      let claimed = try await claim(test)
      #expect(try await test.backlog() == both)
      try await settle(claimed, .sent, test)
      #expect(
        try await test.backlog()
          == OutboxBacklog(waiting: 1, oldest: OutboxUnderTest.time(1), isServedElsewhere: false)
      )
    },
  ]

  /// The promises about mails that were tried before.
  static let retrying: [Promise] = [
    Promise("mails that were tried before wait behind those that were not") { test in
      for name in ["a", "b"] { try await test.add(try .sample(to: "\(name)@example.org")) }
      for mail in try await test.claim().mails {
        try await postpone(mail, until: mail.recipient.local == "a" ? 2 : 3, test)
      }
      for (name, seconds) in [("c", 4), ("d", 5)] as [(String, Int64)] {
        try await test.add(
          try .sample(to: "\(name)@example.org", at: 1_800_000_000_000 + seconds * 1000))
      }
      for expected in [["c", "d", "a"], ["b"], []] {
        let batch = try await test.claim(limit: 3, at: 6)
        #expect(batch.mails.map(\.recipient.local) == expected)
      }
    },
    Promise("a claim has at most as many mails that were tried before as it says") { test in
      for number in 0..<3 { try await test.add(try .sample(to: "ada\(number)@example.org")) }
      let tried = try await test.claim().mails
      for mail in tried { try await postpone(mail, until: 2, test) }
      try await test.add(try .sample(to: "eve@example.org", at: 1_800_000_003_000))
      let first = try await test.claim(limit: 4, triedLimit: 1, at: 4)
      #expect(first.mails.map(\.attempts) == [0, 1])
      #expect(first.nextDueAt == OutboxUnderTest.time(2))
      // What the claim does not want is not due for it.
      let none = try await test.claim(limit: 2, triedLimit: 0, at: 5)
      #expect(none.mails.isEmpty)
      #expect(none.nextDueAt == OutboxUnderTest.time(184))
      #expect(try await test.claim(limit: 4, triedLimit: 3, at: 6).mails.count == 2)
    },
    Promise("a mail that was tried before still waits behind others when it is returned") { test in
      try await add(to: test)
      try await postpone(try await claim(test), until: 1, test)
      let outcomes: [DeliveryOutcome] = [
        .unsent(at: OutboxUnderTest.time(2)), .released(at: OutboxUnderTest.time(2)),
      ]
      for (number, outcome) in outcomes.enumerated() {
        let mail = try #require(try await test.claim(at: 2).mails.first)
        #expect(mail.attempts == 1)
        try await settle(mail, outcome, test, at: 2)
        try await test.add(try .sample(to: "eve\(number)@example.org", at: 1_800_000_003_000))
        let next = try await test.claim(limit: 1, at: 4).mails
        #expect(next.map(\.attempts) == [0])
        try await settle(try #require(next.first), .sent, test, at: 4)
      }
      let last = try #require(try await test.claim(at: 4).mails.first)
      try await settle(last, .sent, test, at: 5)
      #expect(try await test.backlog()?.waiting == 0)
    },
  ]

  private static func postpone(
    _ mail: ClaimedMail, until seconds: Double, _ test: OutboxUnderTest
  ) async throws {
    let error = "unknown at RCPT"
    try await settle(mail, .later(at: OutboxUnderTest.time(seconds), error: error), test)
  }

  @discardableResult
  private static func add(
    to test: OutboxUnderTest, _ membership: Membership? = nil
  ) async throws -> WaitingMail {
    let mail = try WaitingMail.sample(membership: membership)
    try await test.add(mail)
    return mail
  }

  /// Claims one mail at the start.
  private static func claim(_ test: OutboxUnderTest) async throws -> ClaimedMail {
    try #require(try await test.claim(limit: 1, at: 0).mails.first)
  }

  private static func settle(
    _ mail: ClaimedMail, _ outcome: DeliveryOutcome, _ test: OutboxUnderTest, at seconds: Double = 1
  ) async throws {
    try await test.settle(MailSettlement(mail, outcome, at: OutboxUnderTest.time(seconds)))
  }
}
