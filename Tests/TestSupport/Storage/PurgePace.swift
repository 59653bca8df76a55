internal import MailingList
internal import Testing

/// The check of how fast a store deletes subscribers that never confirmed.
package enum PurgePace {
  /// The interval at which the store under test has to purge.
  package static let interval: Duration = .seconds(3600)

  /// Checks that a transaction deletes 32 subscribers, and that the next one follows after 250
  /// milliseconds.
  ///
  /// - Parameters:
  ///   - test: An empty store with double opt-in, which purges every ``interval``.
  ///   - delays: The scheduler of the store.
  ///   - emptyOutbox: Deletes all mails, which would keep their subscribers.
  ///   - count: Counts the subscribers.
  package static func check(
    _ test: StoreUnderTest, _ delays: VirtualDelays, emptyOutbox: () throws -> Void,
    count: () throws -> Int
  ) async throws {
    let old = Timestamp.now.adding(.seconds(-40 * 86_400)).millisecondsSince1970
    for number in 0..<70 { try await test.add(.sample("p\(number)@example.org", at: old)) }
    try emptyOutbox()
    let timerCount = delays.pendingCount
    delays.advance(by: interval)
    for rest in [38, 6, 0] {
      try eventually(within: .seconds(60)) {
        try count() == rest && delays.pendingCount == timerCount + 1
      }
      delays.advance(by: .milliseconds(249))
      #expect(delays.pendingCount == timerCount + 1)
      #expect(try count() == rest)
      delays.advance(by: .milliseconds(1))
    }
  }
}
