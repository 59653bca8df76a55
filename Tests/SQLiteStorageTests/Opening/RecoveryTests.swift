import EmailAddresses
import MailingList
import Signals
import TestSupport
import Testing

@testable import SQLiteStorage

/// Tests of external failures and of the recovery after them.
@Suite struct RecoveryTests {
  @Test func `sign-ups fail while another process holds the lock and succeed afterwards`()
    async throws
  {
    try await withStore(.init(busyTimeout: .milliseconds(1))) { store, folder in
      let signUp = try SignUp.sample()
      let other = try OtherProcess(holding: folder.database)
      await #expect(throws: StoreError.locked) { try await store.add(signUp).values() }
      await #expect(throws: StoreError.locked) { try await store.probe().values() }
      #expect(try await store.hasStored(signUp.id).values() == [false])
      try other.release()

      #expect(await store.add(signUp).collected() == .success([]))
      #expect(try await store.hasStored(signUp.id).values() == [true])
    }
  }

  @Test func `sign-ups fail completely while the disk is full and succeed afterwards`()
    async throws
  {
    try await withStore { store, _ in
      let signUps = try (0..<300).map { number in
        let consent = Consent(userAgent: String(repeating: "x", count: 1000))
        return try SignUp.sample("person\(number)@example.org", consent: consent)
      }
      try store.withConnection { db in
        let pages = try #require(try db.number("PRAGMA page_count"))
        try db.execute("PRAGMA max_page_count = \(pages + 4)")
      }
      var outcomes: [Result<[Never], StoreError>] = []
      for signUp in signUps.prefix(100) { outcomes.append(await store.add(signUp).collected()) }
      #expect(outcomes.contains(.failure(.full)))
      let stored = outcomes.count { (try? $0.get()) != nil }
      #expect(try store.count("subscribers") == stored)
      #expect(try store.count("consents") == stored)

      try store.withConnection { try $0.execute("PRAGMA max_page_count = 1000000") }
      for signUp in signUps.dropFirst(100) { try await _ = store.add(signUp).values() }
      #expect(try store.count("subscribers") == stored + 200)
      #expect(try await store.probe().values().count == 0)
    }
  }

  @Test func `a batch that does not fit on the disk fails as a whole and the next one succeeds`()
    async throws
  {
    try await withStore { store, _ in
      try store.withConnection { db in
        let pages = try #require(try db.number("PRAGMA page_count"))
        try db.execute("PRAGMA max_page_count = \(pages)")
      }
      let consent = Consent(userAgent: String(repeating: "x", count: 20_000))
      let signUps = try (0..<8).map { try SignUp.sample("p\($0)@example.org", consent: consent) }
      let outcomes = await store.outcomes(ofBatch: signUps)
      #expect(outcomes.allSatisfy { $0 == .failure(.full) })
      #expect(try store.count("subscribers") == 0)
      try store.withConnection { try $0.execute("PRAGMA max_page_count = 1000000") }
      let later = await store.outcomes(ofBatch: signUps)
      #expect(later == signUps.map { _ in .success([]) })
    }
  }

  @Test func `reports a read-only database only while it is read-only`() async throws {
    try await withStore { store, _ in
      try store.withConnection { try $0.execute("PRAGMA query_only = ON") }
      let signUp = try SignUp.sample()
      await #expect(throws: StoreError.readOnly) { try await store.add(signUp).values() }
      try store.withConnection { try $0.execute("PRAGMA query_only = OFF") }
      #expect(await store.add(signUp).collected() == .success([]))
    }
  }

  @Test func `reports a row with an unknown state as damaged`() async throws {
    try await withStore { store, _ in
      try await _ = store.add(try .sample()).values()
      try store.withConnection { try $0.execute("UPDATE subscribers SET state = 9") }
      await #expect(throws: StoreError.damaged) {
        try await store.subscribers(after: nil, limit: 10).values()
      }
    }
  }

  @Test func `leaves an invalid sign-up out of a batch and stores the others`() async throws {
    try await withStore { store, _ in
      let first = try SignUp.sample("first@example.org")
      try await _ = store.add(first).values()
      var signUps = try (0..<6).map { try SignUp.sample("person\($0)@example.org") }
      let bad = SignUp(
        id: first.id, address: try EmailAddress(validating: "bad@example.org"), time: first.time,
        consent: first.consent)
      signUps.insert(bad, at: 3)
      let outcomes = await store.outcomes(ofBatch: signUps)
      for (signUp, outcome) in zip(signUps, outcomes) {
        let isBad = signUp.id == first.id
        #expect(outcome == (isBad ? .failure(.failed(code: 1555)) : .success([])))
      }
      let addresses = try await store.subscribers(after: nil, limit: 100).values().flatMap(\.self)
      #expect(
        addresses.map(\.address)
          == ["first@example.org"] + (0..<6).map { "person\($0)@example.org" }
      )
    }
  }

  @Test(
    arguments: [
      (13, 0, .full),
      (778, 28, .full),
      (778, 122, .full),
      (778, 27, .full),
      (778, 30, .readOnly),
      (778, 1, .readOnly),
      (778, 5, .failed(code: 778)),
      (5, 0, .locked),
      (517, 0, .locked),
      (6, 0, .locked),
      (8, 0, .readOnly),
      (1032, 0, .readOnly),
      (11, 0, .damaged),
      (267, 0, .damaged),
      (26, 0, .damaged),
      (2067, 28, .failed(code: 2067)),
    ] as [(Int32, Int32, StoreError)]
  )
  func `converts the result codes of SQLite to store errors`(
    code: Int32, systemError: Int32, expected: StoreError
  ) {
    #expect(StoreError(code: code, systemError: systemError) == expected)
  }

  @Test func `the operator reads that a code is SQLite's`() {
    #expect(StoreError(code: 522).description == "the store failed with SQLite code 522")
  }
}
