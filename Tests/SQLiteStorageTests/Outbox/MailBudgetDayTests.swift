import EmailAddresses
import MailingList
import TestSupport
import Testing

@testable import SQLiteStorage

/// The default budgets over a day, in virtual time.
@Suite struct MailBudgetDayTests {
  private static let day: Duration = .seconds(86_400)
  private static let budgets = MailBudgets(
    all: MailBudget(count: 500, per: day), perDomain: MailBudget(count: 20, per: day))

  @Test func `nothing is held on a day of 10,000 sign-ups of which one in four confirms`()
    async throws
  {
    try await withStore(.init(optIn: .double)) { store, _ in
      let test = StoreUnderTest.sqlite(store)
      var (sent, held) = (0, 0)
      // Those who confirm do so after ten minutes.
      var confirming: [[ClaimedMail]] = Array(repeating: [], count: 10)
      for minute in 0..<1_440 {
        let seconds = Int64(minute) * 60
        let people = (0..<7).map { number in
          number < 4
            ? "p\(minute).\(number)@gmail.com" : "ana@d\(minute)-\(number)-example.com"
        }
        try await test.queue(people, at: SubscriberStoreConformance.later(seconds))
        let batch = try await test.claim(Self.budgets, at: seconds + 1, examinesHeld: true)
        held += batch.held
        confirming.append(
          batch.mails.enumerated().filter { (sent + $0.offset).isMultiple(of: 4) }.map(\.element))
        sent += batch.mails.count
        for mail in confirming.removeFirst() {
          let time = SubscriberStoreConformance.later(seconds + 2)
          _ = try await test.confirm(mail, at: time)
        }
      }
      #expect(held == 0)
      #expect(sent == 10_080)
    }
  }

  @Test func `2,000 strangers cause 500 mails, and the others wait for confirmations or expire`()
    async throws
  {
    try await withStore(.init(optIn: .double)) { store, _ in
      let test = StoreUnderTest.sqlite(store)
      try await test.queue((0..<2_000).map { "ana@d\($0)-example.com" })
      func claimAll(at seconds: Int64) async throws -> (mails: [ClaimedMail], held: Int) {
        var (mails, held): ([ClaimedMail], Int) = ([], 0)
        while true {
          let batch = try await test.claim(Self.budgets, at: seconds, examinesHeld: true)
          mails += batch.mails
          held += batch.held
          if batch.mails.isEmpty, batch.held + batch.expired == 0 { return (mails, held) }
        }
      }
      let first = try await claimAll(at: 10)
      #expect(first.mails.count == 500)
      #expect(first.held == 1_500)
      for mail in first.mails.prefix(10) {
        _ = try await test.confirm(mail, at: SubscriberStoreConformance.later(60))
      }
      let second = try await claimAll(at: 61)
      // The first ones held, one millisecond after the other.
      #expect(second.mails.map(\.createdAt) == second.mails.map(\.createdAt).sorted())
      #expect(second.mails.count == 40)
      // A day later the rest expires, and can be signed up again.
      _ = try await claimAll(at: 86_400 + 10)
      let backlog = try #require(try await store.outbox.backlog().values().first)
      #expect(backlog.held == 0)
      let again = SubscriberStoreConformance.later(86_400 + 20)
      try await test.queue(["ana@d1999.example.com"], at: again)
      #expect(try await test.claim(Self.budgets, at: 86_400 + 21).mails.count == 1)
    }
  }

  /// Nobody gains mails to others by a domain of their own.
  @Test(arguments: [1, 10, 100])
  func `confirmations at subdomains of one domain let at most 560 strangers be mailed`(
    subdomainCount: Int
  ) async throws {
    try await withStore(.init(optIn: .double)) { store, _ in
      let test = StoreUnderTest.sqlite(store)
      let own = (0..<subdomainCount).flatMap { domain in
        (0..<19).map { "p\($0)@s\(domain).own-example.com" }
      }
      let strangers = (0..<1_500).map { "p\($0)@d\($0 / 15)-example.com" }
      var mailed = 0
      for (hour, addresses) in [own, strangers].enumerated() {
        let seconds = Int64(hour) * 3_600
        try await test.queue(addresses, at: SubscriberStoreConformance.later(seconds))
        while true {
          let batch = try await test.claim(Self.budgets, at: seconds + 10, examinesHeld: true)
          for mail in batch.mails {
            if mail.recipient.asciiDomain.hasSuffix(".own-example.com") {
              let time = SubscriberStoreConformance.later(seconds + 10)
              _ = try await test.confirm(mail, at: time)
            } else {
              mailed += 1
            }
          }
          if batch.mails.isEmpty, batch.held == 0 { break }
        }
      }
      #expect(mailed <= 560)
    }
  }
}
