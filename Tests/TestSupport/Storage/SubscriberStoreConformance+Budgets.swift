internal import EmailAddresses
package import MailingList
internal import Signals
internal import Testing

extension SubscriberStoreConformance {
  private static func day(_ count: Int) -> MailBudget { MailBudget(count: count, per: day) }
  private static let day: Duration = .seconds(86_400)

  /// The promises about the budgets of a mailbox, of domains and of all mails.
  static let budgets: [Promise] = [
    Promise("a mailbox gets at most one mail in ten minutes, three in a day and five in a week") {
      test in
      // The documented numbers, not those of the program.
      for (seconds, isSent) in [
        (0, true), (599, false), (600, true), (1199, false), (1200, true), (1800, false),
        (86_399, false), (86_400, true), (87_000, true), (87_600, false), (400_000, false),
        (604_799, false), (604_800, true), (605_399, false), (605_400, true), (606_000, true),
        (606_600, false),
      ] as [(Int64, Bool)] {
        let mail = try await test.signUp(at: later(seconds)).mail
        #expect((mail != nil) == isSent, "after \(seconds) s")
      }
    },
    Promise("a domain gets as many mails as its budget, and others get theirs") { test in
      let addresses = (0..<6).map { "p\($0)@one-example.com" }
      try await test.queue(addresses + ["a@two-example.com", "b@gmail.com", "c@gmail.com"])
      let budgets = MailBudgets(perDomain: day(2))
      let batch = try await test.claim(budgets)
      #expect(
        batch.mails.map(\.recipient.normalized) == [
          "p0@one-example.com", "p1@one-example.com", "a@two-example.com", "b@gmail.com",
          "c@gmail.com",
        ]
      )
      #expect(batch.held == 4)
      let backlog = try #require(try await test.store.outbox.backlog().values().first)
      #expect(backlog.held == 4 && backlog.waiting == 5)
      // Nothing changes as long as nobody confirms.
      let next = try await test.claim(budgets, at: 60, examinesHeld: true)
      #expect(next.mails.isEmpty && !next.mayReleaseMore && next.held == 0)
    },
    Promise("a confirmation makes room for held mails, the oldest first") { test in
      try await test.queue((0..<8).map { "p\($0)@one-example.com" })
      let budgets = MailBudgets(all: day(100), perDomain: day(2))
      let first = try await test.claim(budgets)
      _ = try await test.confirm(try #require(first.mails.first), at: later(1))
      #expect(try await test.claim(budgets, at: 2).mails.isEmpty)
      let released = try await test.claim(budgets, at: 60, examinesHeld: true)
      #expect(released.mayReleaseMore)
      #expect(released.mails.map(\.recipient.local) == ["p2", "p3", "p4", "p5"])
      #expect(try await released.held + test.claim(budgets, at: 61).held == 2)
      let none = try await test.claim(budgets, at: 120, examinesHeld: true)
      #expect(none.mails.isEmpty)
    },
    Promise("a spent budget holds all mails, and raises an alarm once in six hours") { test in
      try await test.queue((0..<6).map { "ana@d\($0)-example.com" })
      let budgets = MailBudgets(all: day(4))
      let first = try await test.claim(budgets)
      #expect(first.mails.count == 4 && first.held == 2)
      let second = try await test.claim(budgets, at: 1, examinesHeld: true)
      #expect(second.load == 4)
      var alarms = first.raisesAlarm || second.raisesAlarm ? [0] : []
      for hour in 1...13 {
        let batch = try await test.claim(budgets, at: Int64(hour) * 3600, examinesHeld: true)
        #expect(!batch.mayReleaseMore)
        if batch.raisesAlarm { alarms.append(hour) }
      }
      // Six whole hours lie between two alarms, and the part of an hour that has begun.
      #expect(alarms == [0, 7])
    },
    Promise("held mails expire after a day, and the sign-up can be repeated") { test in
      try await test.queue(["a@one-example.com", "b@one-example.com"])
      let budgets = MailBudgets(all: day(10), perDomain: day(1))
      let first = try await test.claim(budgets)
      #expect(first.held == 1)
      let expired = try await test.claim(budgets, at: 86_401, examinesHeld: true)
      #expect(expired.expired == 1 && !expired.mayReleaseMore)
      try await test.queue(["b@one-example.com"], at: later(86_402))
      let again = try await test.claim(budgets, at: 86_402)
      #expect(again.mails.map(\.recipient.local).contains("b"))
    },
    Promise("a mail that was not sent does not use a budget") { test in
      try await test.queue(["a@one-example.com", "b@one-example.com"])
      let budgets = MailBudgets(all: day(1), perDomain: day(1))
      let mail = try #require(try await test.claim(budgets).mails.first)
      let unsent = MailSettlement(mail, .unsent(at: later(1)), at: later(1))
      _ = try await test.store.outbox.settle([unsent], claiming: nil).values()
      #expect(try await test.claim(budgets, at: 1).mails.map(\.id) == [mail.id])
    },
    Promise("a rejected mail counts five times, and a complaint fifty times") { test in
      try await test.queue(["a@one-example.com", "b@two-example.com", "c@three-example.com"])
      let budgets = MailBudgets(all: day(100))
      let mails = try await test.claim(budgets).mails
      let rejected = MailSettlement(mails[0], .rejected, at: later(1))
      let sent = mails.dropFirst().map { MailSettlement($0, .sent, at: later(1)) }
      _ = try await test.store.outbox.settle([rejected] + sent, claiming: nil).values()
      #expect(try await test.claim(budgets, at: 2, examinesHeld: true).load == 7)
      let address = mails[1].recipient
      _ = try await test.store.suppress(address, .complaint, by: .command, at: later(3)).values()
      let spent = try await test.claim(budgets, at: 4, examinesHeld: true)
      #expect(spent.load == 56)
    },
    Promise("only twenty confirmations of an unknown domain count for all mails") { test in
      let budgets = MailBudgets(all: day(1000))
      try await test.queue((0..<60).map { "ana@d\($0)-example.com" })
      while try await !test.claim(budgets, at: 1).mails.isEmpty {}
      try await test.queue((0..<22).map { "p\($0)@one-example.com" }, at: later(2))
      for mail in try await test.claim(budgets, at: 3).mails {
        _ = try await test.confirm(mail, at: later(4))
      }
      #expect(try await test.claim(budgets, at: 5, examinesHeld: true).load == 82 - 80)
    },
    Promise("a subdomain counts as its domain, which is what the registry of a suffix sells") {
      test in
      let sent = [
        "a@one-example.com", "a@one.co.uk", "a@two.co.uk", "a@co.uk", "a@one.duckdns.org",
        "a@one.xn--55qx5d.cn", "a@two.xn--55qx5d.cn", "a@mail.one.city.kawasaki.jp",
        "a@one.other.kawasaki.jp", "a@two.other.kawasaki.jp",
      ]
      let held = [
        "b@x.one-example.com", "b@one-example.com", "b@mail.two.co.uk", "b@two.duckdns.org",
        "b@x.y.two.xn--55qx5d.cn", "b@two.city.kawasaki.jp", "b@x.two.other.kawasaki.jp",
      ]
      try await test.queue(sent + held)
      let batch = try await test.claim(MailBudgets(perDomain: day(1)))
      #expect(batch.mails.map(\.recipient.normalized) == sent)
      #expect(batch.held == held.count)
    },
  ]
}

extension StoreUnderTest {
  /// Signs people up, one millisecond after the other.
  package func queue(
    _ addresses: [String], at time: Timestamp = SubscriberStoreConformance.start
  ) async throws {
    let signUps = try addresses.enumerated().map { offset, address in
      try SignUp.sample(address, at: time.millisecondsSince1970 + Int64(offset))
    }
    _ = try await Signal<SignUp, StoreError>(signUps).flatMap { store.add($0) }.values()
  }

  /// Claims mails, in seconds after the start.
  package func claim(
    _ budgets: MailBudgets, at seconds: Int64 = 1, examinesHeld: Bool = false
  ) async throws -> MailBatch {
    let claim = MailClaim(
      limit: 64,
      now: SubscriberStoreConformance.later(seconds),
      // Longer than these tests.
      lease: .seconds(7 * 86_400),
      budgets: budgets,
      examinesHeld: examinesHeld
    ) { .sample(of: $0) }
    return try #require(try await store.outbox.claim(claim).values().first)
  }
}
