import EmailAddresses
import Signals
@testable import MailingList
import Security
import TestSupport
import Testing

@testable import SQLiteStorage

@Suite struct PurgeTests {
  private static let start = Timestamp(millisecondsSince1970: 1_800_000_000_000)

  private static func day(_ number: Int64) -> Timestamp {
    start.adding(.seconds(number * 86_400))
  }

  /// Runs a test with a store whose clock the test sets.
  private func withClock(
    _ body: (SQLiteSubscriberStore, StoreUnderTest, TestClock) async throws -> Void
  ) async throws {
    let clock = TestClock(at: Self.start)
    try await withStore(.init(optIn: .double, now: { clock.now })) { store, _ in
      try await body(store, .sqlite(store), clock)
    }
  }

  private func purge(
    _ store: SQLiteSubscriberStore, _ clock: TestClock, at time: Timestamp
  ) async throws -> Int? {
    clock.now = time
    return try await store.purge().values().first
  }

  @Test func `deletes subscribers who never confirmed, thirty days after they signed up`()
    async throws
  {
    try await withClock { store, test, clock in
      _ = try await test.signUp("ada@example.org", at: Self.start)
      let eve = try #require(try await test.signUp("eve@example.org", at: Self.start).mail)
      let hash = try #require(MailCredentials.sample(of: eve).confirmHash)
      _ = try await store.confirm(hash, MembershipRequest(at: Self.day(1))).values()
      #expect(try await purge(store, clock, at: Self.day(29)) == 0)
      #expect(try await purge(store, clock, at: Self.day(30)) == 1)
      #expect(try await test.subscribers().map(\.address) == ["eve@example.org"])
      #expect(try store.count("consents") == 2)
      #expect(try store.count("codes") == 0)
      // The links to leave, and the one that expired three weeks ago, remain.
      #expect(try store.count("tokens") == 2)
      #expect(try await purge(store, clock, at: Self.day(38)) == 0)
      #expect(try store.count("tokens") == 1)
      #expect(try store.count("mailboxes") == 0)
      _ = try await purge(store, clock, at: Self.day(1000))
      #expect(try store.count("tokens WHERE purpose = 1") == 1)
    }
  }

  @Test func `deletes tallies of hours after ninety days, and keeps those of days`() async throws {
    try await withClock { store, test, clock in
      _ = try await test.signUp("ada@example.org", at: Self.start)
      _ = try await store.countEvents().values()
      let count = try store.count("tallies")
      _ = try await purge(store, clock, at: Self.day(89))
      #expect(try store.count("tallies") == count)
      _ = try await purge(store, clock, at: Self.day(90))
      #expect(try store.count("tallies WHERE resolution = 1") == 0)
      #expect(try store.count("tallies WHERE resolution = 24") == count / 2)
    }
  }

  @Test func `a subscriber that cannot be read keeps no other from being deleted`() async throws {
    try await withClock { store, test, clock in
      for name in ["ada", "bob", "eve"] {
        _ = try await test.signUp("\(name)@example.org", at: Self.start)
      }
      try store.withConnection {
        try $0.execute("UPDATE subscribers SET suppression = 77 WHERE address = 'bob@example.org'")
      }
      #expect(try await purge(store, clock, at: Self.day(31)) == 2)
      #expect(try store.count("subscribers") == 1)
    }
  }

  /// Mails that were tried before are in queue 2.
  @Test(arguments: [1, 2])
  func `a link that works, a mail that waits and a recent departure keep a subscriber`(
    queue: Int
  ) async throws {
    try await withClock { store, test, clock in
      for name in ["link", "mail", "gone", "none"] {
        _ = try await test.signUp("\(name)@example.org", at: Self.start)
      }
      _ = try await test.signUp("link@example.org", at: Self.day(29))
      let left = try await test.signUp("gone@example.org", at: Self.day(2)).mail
      let hash = MailCredentials.sample(of: try #require(left)).unsubscribeHash
      let request = MembershipRequest(at: Self.day(20))
      _ = try await store.leave(.link(hash), by: .link, request).values()
      try await test.add(try .sample("mail@example.org", at: Self.day(29).millisecondsSince1970))
      try store.withConnection {
        try $0.execute("UPDATE outbox SET queue = \(queue) WHERE queue = 1")
      }
      #expect(try await purge(store, clock, at: Self.day(31)) == 1)
      #expect(
        try await test.subscribers().map(\.address)
          == ["link@example.org", "mail@example.org", "gone@example.org"]
      )
      #expect(try await purge(store, clock, at: Self.day(50)) == 2)
      #expect(try await test.subscribers().map(\.address) == ["mail@example.org"])
    }
  }

  @Test func `events are kept for their time, and the newest one is always kept`() async throws {
    let clock = TestClock(at: Self.start)
    var configuration = SQLiteSubscriberStore.Configuration(now: { clock.now })
    configuration.eventRetention = .seconds(2 * 86_400)
    try await withStore(configuration) { store, _ in
      func events(after position: Int64) async throws -> EventPage {
        try #require(try await store.events(after: position, limit: 10).last())
      }
      let test = StoreUnderTest.sqlite(store)
      for day in Int64(0)..<4 {
        let signUp = try SignUp.sample(
          "p\(day)@example.org", at: Self.day(day).millisecondsSince1970)
        try await test.add(signUp)
      }
      _ = try await purge(store, clock, at: Self.day(3))
      #expect(try await events(after: 0).events.map(\.position) == [3, 4])
      #expect(try await events(after: 1).continues(after: 1) == false)
      #expect(try await events(after: 2).continues(after: 2))
      _ = try await purge(store, clock, at: Self.day(300))
      #expect(try await events(after: 0).events.map(\.position) == [4])
      try await test.add(try .sample("next@example.org"))
      #expect(try await events(after: 4).events.map(\.position) == [5])
    }
  }

  @Test func `a suppression that must not end survives the deletion`() async throws {
    try await withClock { store, test, clock in
      for (name, reason) in [
        ("ada", .complaint), ("bob", .hardBounce), ("eve", .objected),
      ] as [(String, Suppression)] {
        _ = try await test.signUp("\(name)@example.org", at: Self.start)
        let address = try EmailAddress.sample("\(name)@example.org")
        _ = try await store.suppress(address, reason, by: .command, at: Self.day(1)).values()
      }
      #expect(try await purge(store, clock, at: Self.day(31)) == 3)
      #expect(try store.count("suppressions") == 2)
      for name in ["ada", "bob", "eve"] {
        _ = try await test.signUp("\(name)@example.org", at: Self.day(40))
      }
      let states = try await test.subscribers().map(\.state)
      #expect(states == [.suppressed, .pending, .suppressed])
    }
  }

  @Test func `a sign-up after a subscriber was found keeps the subscriber`() async throws {
    try await withClock { store, test, _ in
      _ = try await test.signUp("ada@example.org", at: Self.start)
      let requestedAt = Self.start.millisecondsSince1970
      for (expected, milliseconds) in [(0, requestedAt - 1), (1, requestedAt)] {
        let count = try store.withConnection { db in
          let requestedAt = Timestamp(millisecondsSince1970: milliseconds)
          return try ListWriter.forTests(db, store)
            .purge([PurgeCandidate(id: 1, requestedAt: requestedAt)], at: Self.day(31))
        }
        #expect(count == expected)
      }
    }
  }

  @Test func `the tries of a code are kept as long as its mail may be tried again`()
    async throws
  {
    try await withClock { store, test, clock in
      _ = try await test.signUp("ada@example.org", at: Self.start)
      _ = try await purge(store, clock, at: Self.day(3))
      #expect(try store.count("codes") == 1)
      _ = try await purge(store, clock, at: Self.day(4))
      #expect(try store.count("codes") == 0)
    }
  }

  @Test func `a suppression replaces that of the secret before`() async throws {
    let clock = TestClock(at: Self.start)
    let keyring = Keyring(Secret(), previous: Secret())
    let configuration = SQLiteSubscriberStore.Configuration(
      optIn: .double, keyring: keyring, now: { clock.now })
    try await withStore(configuration) { store, folder in
      let address = try EmailAddress.sample("ada@example.org")
      let suppressions = SuppressionsUnderTest.sqlite(store, at: folder.database)
      try suppressions.store([nil, .hardBounce], address)
      _ = try await StoreUnderTest.sqlite(store).signUp("ada@example.org", at: Self.start)
      let result = try await store.suppress(address, .objected, by: .command, at: Self.start)
        .values()
      #expect(result == [.suppressed])
      #expect(try await purge(store, clock, at: Self.day(31)) == 1)
      let reasons = try store.withConnection {
        try $0.file.numbers("SELECT reason FROM suppressions")
      }
      #expect(reasons == [Suppression.objected.rawValue])
    }
  }

  @Test func `deletes more subscribers than fit into one transaction`() async throws {
    try await withClock { store, test, clock in
      for number in 0..<(2 * Purge.batch + 1) {
        try await test.add(
          try .sample("a\(number)@example.org", at: Self.start.millisecondsSince1970))
      }
      try store.withConnection { try $0.execute("DELETE FROM outbox") }
      #expect(try await purge(store, clock, at: Self.day(31)) == 2 * Purge.batch + 1)
      #expect(try store.count("consents") == 0)
    }
  }

  @Test func `a transaction deletes 32 subscribers, and a pause of 250 milliseconds follows`()
    async throws
  {
    let delays = VirtualDelays()
    let configuration = SQLiteSubscriberStore.Configuration(
      deliverOn: delays, optIn: .double, purgeInterval: PurgePace.interval)
    try await withStore(configuration) { store, _ in
      try await PurgePace.check(
        .sqlite(store), delays,
        emptyOutbox: { try store.withConnection { try $0.execute("DELETE FROM outbox") } },
        count: { try store.count("subscribers") })
    }
  }

  @Test func `a store purges at the interval of its configuration`() async throws {
    let clock = TestClock(at: Self.start)
    try await withStore(.init(optIn: .double, now: { clock.now }, purgeInterval: .milliseconds(20)))
    { store, _ in
      let test = StoreUnderTest.sqlite(store)
      _ = try await test.signUp(at: Self.start)
      clock.now = Self.day(31)
      try eventually { try store.count("subscribers") == 0 }
    }
  }
}

/// A clock that a test sets.
private final class TestClock: Sendable {
  private let time: Lock<Timestamp>

  init(at time: Timestamp) {
    self.time = Lock(time)
  }

  var now: Timestamp {
    get { time.withLock { $0 } }
    set { time.withLock { $0 = newValue } }
  }
}
