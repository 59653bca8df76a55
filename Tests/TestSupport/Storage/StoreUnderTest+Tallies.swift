package import MailingList
internal import Signals
internal import Testing

extension StoreUnderTest {
  /// Expects that the events of an empty list are counted once, whoever counts and is interrupted.
  ///
  /// - Parameters:
  ///   - store: The store under test.
  ///   - other: A second service of the same list, or the same one.
  ///   - number: Gives committed events their positions, if the store does not.
  ///   - expire: Deletes events up to a position.
  package func expectTallies(
    of store: some ListStore, and other: some ListStore,
    numberingWith number: () throws -> Void = {}, expire: (_ position: Int64) throws -> Void
  ) async throws {
    let time = Timestamp(millisecondsSince1970: 1_800_000_000_000)
    func count(_ series: Tally.Series = .requested) async throws -> [Tally.Resolution: Int64] {
      let tallies =
        try await store.read { list throws(StoreError) in
          try list.tallies(fromHour: 0, fromDay: 0)
        }.last() ?? []
      return Dictionary(
        tallies.filter { $0.series == series }.map { ($0.resolution, $0.count) },
        uniquingKeysWith: +)
    }
    func signUp(_ count: Int) async throws {
      for _ in 0..<count {
        let name = UInt64.random(in: .min ... .max)
        try await add(try .sample("p\(name)@example.org", at: time.millisecondsSince1970))
        try number()
      }
    }
    func waitForEvents(_ count: Int64) async throws {
      try await eventually {
        try number()
        return try await store.events(after: .max, limit: 1).last()?.newest == count
      }
    }

    #expect(try await store.countEvents().values().isEmpty)
    try await signUp(3)
    try await waitForEvents(3)

    // Two services have read the same events; the first one that writes counts.
    let first = try await store.read { list throws(StoreError) in
      try list.uncountedEvents(limit: 2)
    }.last()
    let second = try await other.read { list throws(StoreError) in
      try list.uncountedEvents(limit: 3)
    }.last()
    let (two, three) = (try #require(first), try #require(second))
    #expect(two.events.count == 2)
    #expect(three.events.count == 3)
    // Nothing is counted by a service that is killed here.
    #expect(try await count() == [:])
    let isFirst = try await store.change { list throws(StoreError) in
      try list.count(two)
    }.last()
    #expect(isFirst == true)
    let isSecond = try await other.change { list throws(StoreError) in
      try list.count(three)
    }.last()
    #expect(isSecond == false)
    let isRepeated = try await store.change { list throws(StoreError) in
      try list.count(two)
    }.last()
    #expect(isRepeated == false)
    #expect(try await count() == [.hour: 2, .day: 2])
    #expect(try await other.countEvents().values() == [1])
    #expect(try await count() == [.hour: 3, .day: 3])

    // Both count at the same time while people sign up.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for counter in [store.countEvents, other.countEvents]
        as [@Sendable () -> Signal<Int, StoreError>]
      {
        group.addTask {
          for _ in 0..<20 { _ = try await counter().values() }
        }
      }
      try await signUp(40)
      try await group.waitForAll()
    }
    try await waitForEvents(43)
    _ = try await store.countEvents().values()
    #expect(try await count() == [.hour: 43, .day: 43])
    #expect(try await store.countEvents().values().isEmpty)

    // What the log has lost is not counted, and the rest is.
    try await signUp(5)
    try await waitForEvents(48)
    try expire(45)
    #expect(try await store.countEvents().values() == [3])
    #expect(try await count() == [.hour: 46, .day: 46])
  }
}
