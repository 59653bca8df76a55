internal import EmailAddresses
internal import Signals
internal import MailingList
internal import Testing

extension OutboxConformance {
  /// The promises about claiming mails that are due.
  static let claiming: [Promise] = [
    Promise("an empty outbox is claimed from again after a lease if others share it") { test in
      let batch = try await test.claim()
      #expect(batch.mails.isEmpty)
      #expect(batch.dropped == 0 && batch.withheld == 0)
      #expect(batch.nextDueAt == (test.isShared ? OutboxUnderTest.time(180) : nil))
    },
    Promise("a claimed mail is what the sign-up stored") { test in
      let mail = try WaitingMail.sample(to: "Ada@example.org", locale: "de")
      try await test.add(mail)
      let claimed = try #require(try await test.claim(at: 1).mails.first)
      #expect(claimed.id == mail.id)
      #expect(claimed.kind == .confirm)
      #expect(claimed.recipient.normalized == "Ada@example.org")
      #expect(claimed.locale == "de")
      #expect(claimed.consentID == mail.consentID)
      #expect(claimed.createdAt == mail.createdAt)
      #expect(claimed.grantedAt == OutboxUnderTest.time(1))
      #expect(claimed.attempts == 0)
      #expect(claimed.leasedUntil == OutboxUnderTest.time(181))
    },
    Promise("the longest due mails come first, as many as the limit") { test in
      for (address, offset) in [("c", 2), ("a", 0), ("d", 3), ("b", 1)] as [(String, Int64)] {
        let time = 1_800_000_000_000 + offset
        try await test.add(try .sample(to: "\(address)@example.org", at: time))
      }
      let first = try await test.claim(limit: 3, at: 1)
      #expect(first.mails.map(\.recipient.local) == ["a", "b", "c"])
      #expect(first.nextDueAt == OutboxUnderTest.time(0.003))
      let second = try await test.claim(limit: 3, at: 1)
      #expect(second.mails.map(\.recipient.local) == ["d"])
      #expect(second.nextDueAt == OutboxUnderTest.time(181))
    },
    Promise("a mail that is not due yet is not claimed") { test in
      try await test.add(try .sample())
      let batch = try await test.claim(at: -1)
      #expect(batch.mails.isEmpty)
      #expect(batch.nextDueAt == OutboxUnderTest.time(0))
    },
    Promise("a limit of zero claims nothing") { test in
      try await test.add(try .sample())
      let batch = try await test.claim(limit: 0, at: 1)
      #expect(batch.mails.isEmpty)
      #expect(batch.nextDueAt == OutboxUnderTest.time(0))
    },
    Promise("a leased mail is due again, as it was, when the lease ends") { test in
      try await test.add(try .sample())
      let first = try #require(try await test.claim(at: 0).mails.first)
      #expect(try await test.claim(at: 179.999).mails.isEmpty)
      let second = try #require(try await test.claim(at: 180).mails.first)
      #expect(second.id == first.id)
      #expect(second.grantedAt == first.grantedAt)
      #expect(second.attempts == 0)
      #expect(second.leasedUntil == OutboxUnderTest.time(360))
    },
    Promise("each subscription to the signal claims once, and none claims nothing") { test in
      try await test.add(try .sample())
      _ = test.outbox.claim(OutboxUnderTest.request())
      #expect(try await test.claim().mails.count == 1)
    },
    Promise("claims at the same time never get the same mail") { test in
      for number in 0..<32 { try await test.add(try .sample(to: "ada\(number)@example.org")) }
      let ids = try await withThrowingTaskGroup(of: [MailID].self) { group in
        for _ in 0..<16 { group.addTask { try await test.claim(limit: 3).mails.map(\.id) } }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      #expect(ids.count == 32)
      #expect(Set(ids).count == 32)
    },
    Promise("a new mail is announced") { test in
      var changes = test.outbox.changes.values.makeAsyncIterator()
      try await test.add(try .sample())
      #expect(await changes.next() != nil)
    },
  ]

  /// The promises about what is granted.
  static let granting: [Promise] = [
    Promise("a mail that is not wanted any more is dropped") { test in
      let mail = try WaitingMail.sample()
      try await test.add(mail)
      let subscribed = Membership(state: .subscribed, confirmedAt: mail.createdAt)
      try await test.setMembership(subscribed, mail.recipient)
      let batch = try await test.claim(at: 1)
      #expect(batch.mails.isEmpty)
      #expect(batch.dropped == 1)
      #expect(try await test.backlog()?.waiting == 0)
      #expect(try await test.credentials(mail.id) == nil)
    },
    Promise("of two mails to one mailbox in one claim the later one is withheld") { test in
      let first = try WaitingMail.sample(to: "ada+1@example.org")
      let second = try WaitingMail.sample(to: "ada+2@example.org", at: 1_800_000_000_001)
      try await test.add(first)
      try await test.add(second)
      let batch = try await test.claim(at: 1)
      #expect(batch.mails.map(\.id) == [first.id])
      #expect(batch.withheld == 1)
      #expect(try await test.credentials(second.id) == nil)
      #expect(try await test.backlog()?.waiting == 1)
    },
    Promise("the address without a subaddress gets its first mail of a day in any case") { test in
      var mails = 0
      for (address, seconds, isSent) in [
        ("ada+1", 0, true), ("ada", 1, true), ("ada+2", 2, false), ("ada", 3, false),
        ("ada", 700, true), ("ada+3", 1400, false), ("ada", 1400, false),
        ("ada+4", 86_402, true), ("ada", 86_403, false), ("ada", 87_200, true),
      ] as [(String, Double, Bool)] {
        let time = OutboxUnderTest.time(seconds).millisecondsSince1970
        try await test.add(try .sample(to: "\(address)@example.org", at: time))
        let batch = try await test.claim(at: seconds)
        #expect(batch.mails.count == (isSent ? 1 : 0), "\(address) after \(seconds) s")
        #expect(batch.withheld == (isSent ? 0 : 1), "\(address) after \(seconds) s")
        for mail in batch.mails {
          try await test.settle(MailSettlement(mail, .sent, at: OutboxUnderTest.time(seconds)))
        }
        mails += batch.mails.count
      }
      #expect(mails == 5)
    },
    Promise("of two mails to spellings of a mailbox in one claim both are sent if one is plain") {
      test in
      for (offset, address) in ["ada+1", "ada", "ada+2"].enumerated() {
        let time = 1_800_000_000_000 + Int64(offset)
        try await test.add(try .sample(to: "\(address)@example.org", at: time))
      }
      let batch = try await test.claim(at: 1)
      #expect(batch.mails.map(\.recipient.local) == ["ada+1", "ada"])
      #expect(batch.withheld == 1)
    },
    Promise("what is dropped or withheld does not use up the limit") { test in
      try await test.add(try .sample(.already, to: "x@example.org", membership: .pending))
      for number in 0..<3 { try await test.add(try .sample(to: "ada+\(number)@example.org")) }
      try await test.add(try .sample(to: "eve@example.org", at: 1_800_000_000_001))
      let batch = try await test.claim(limit: 2, at: 1)
      #expect(batch.mails.count == 2)
      #expect(batch.mails.last?.recipient.local == "eve")
      #expect(batch.dropped == 1)
      #expect(batch.withheld == 2)
    },
    Promise("the mailbox is charged once for all attempts") { test in
      try await test.add(try .sample())
      _ = try await test.claim(at: 0)
      #expect(try await test.claim(at: 200).mails.count == 1)
      try await test.settle(
        MailSettlement(
          try #require(try await test.claim(at: 400).mails.first), .sent,
          at: OutboxUnderTest.time(401)))
      try await test.add(try .sample(at: 1_800_000_600_000))
      #expect(try await test.claim(at: 600).mails.count == 1)
    },
    Promise("the budget is not spent by what is withheld") { test in
      try await test.add(try .sample())
      let first = try #require(try await test.claim(at: 0).mails.first)
      try await test.settle(MailSettlement(first, .sent, at: OutboxUnderTest.time(1)))
      try await test.add(try .sample(at: 1_800_000_300_000))
      #expect(try await test.claim(at: 301).withheld == 1)
      try await test.add(try .sample(at: 1_800_000_600_000))
      #expect(try await test.claim(at: 601).mails.count == 1)
    },
    Promise("a grant stores the credentials, and each attempt renews them") { test in
      let mail = try WaitingMail.sample()
      try await test.add(mail)
      let first = try #require(try await test.claim(at: 0).mails.first)
      #expect(try await test.credentials(mail.id) == .sample(of: first))
      try await test.settle(
        MailSettlement(
          first, .later(at: OutboxUnderTest.time(60), error: "deferred at RCPT: 450 4.2.0"),
          at: OutboxUnderTest.time(1)))
      let second = try #require(try await test.claim(at: 60).mails.first)
      #expect(try await test.credentials(mail.id) == .sample(of: second))
    },
    Promise("a mail without a confirmation link stores one hash") { test in
      let mail = try WaitingMail.sample(.already)
      try await test.add(mail)
      let claimed = try #require(try await test.claim().mails.first)
      #expect(claimed.kind == .already)
      let credentials = try #require(try await test.credentials(mail.id))
      #expect(credentials == .sample(of: claimed))
      #expect(credentials.confirmHash == nil && credentials.codeHash == nil)
    },
  ]
}

extension Membership {
  /// A membership that waits for its confirmation.
  fileprivate static let pending = Membership(state: .pending)
}
