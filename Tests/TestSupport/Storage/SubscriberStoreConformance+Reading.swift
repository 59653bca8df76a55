internal import MailingList
internal import Signals
internal import Testing

extension SubscriberStoreConformance {
  /// The promises about the state of a subscriber.
  static let states: [Promise] = [
    Promise("a new subscriber is subscribed immediately") { test in
      try await test.add(try .sample(at: 1000))
      let subscriber = try #require(try await test.subscribers().first)
      #expect(subscriber.state == .subscribed)
      #expect(subscriber.confirmedAt == subscriber.createdAt)
      #expect(subscriber.unsubscribedAt == nil)
    },
    state(.pending, becomes: .subscribed),
    state(.subscribed, becomes: .subscribed),
    state(.unsubscribed, becomes: .subscribed),
    state(.suppressed, becomes: .suppressed),
  ]

  /// The promises about reading.
  static let reading: [Promise] = [
    Promise("an empty list has no subscribers") { test in
      let subscribers = try await test.subscribers()
      #expect(subscribers.isEmpty)
    },
    Promise("batches contain the subscribers in the order of their sign-ups") { test in
      let addresses = (0..<7).map { "person\(6 - $0)@example.org" }
      for address in addresses { try await test.add(try .sample(address)) }
      var read: [[String]] = []
      var last: Int64?
      while true {
        let part = try await test.store.subscribers(after: last, limit: 3).values().flatMap(\.self)
        if part.isEmpty { break }
        #expect(part.map(\.id) == part.map(\.id).sorted())
        read.append(part.map(\.address))
        last = part.last?.id
      }
      #expect(read.map(\.count) == [3, 3, 1])
      #expect(read.flatMap(\.self) == addresses)
    },
    Promise("a store finds the executions it stored and no others") { test in
      let now = Timestamp.now.millisecondsSince1970
      let stored = try SignUp.sample("ada@example.org", at: now)
      let other = try SignUp.sample("ada@example.org", at: now)
      try await test.add(stored)
      #expect(try await test.store.hasStored(stored.id).values() == [true])
      #expect(try await test.store.hasStored(other.id).values() == [false])
    },
    Promise("an open store reports that it can store") { test in
      #expect(try await test.store.probe().values().isEmpty)
      try await test.add(try .sample())
      #expect(try await test.store.probe().values().isEmpty)
    },
  ]

  /// The promises about a closed store.
  static let closing: [Promise] = [
    Promise("every call after closing fails") { test in
      let signUp = try SignUp.sample()
      await test.store.close().ended()
      await #expect(throws: StoreError.closed) { try await test.add(signUp) }
      await #expect(throws: StoreError.closed) {
        try await test.store.hasStored(signUp.id).values()
      }
      await #expect(throws: StoreError.closed) { try await test.store.probe().values() }
      await #expect(throws: StoreError.closed) { try await test.subscribers() }
    },
    Promise("a store can be closed twice") { test in
      await test.store.close().ended()
      await test.store.close().ended()
    },
  ]

  private static func state(
    _ state: Subscriber.State, becomes expected: Subscriber.State
  ) -> Promise {
    Promise("a sign-up changes the state \(state.name) to \(expected.name)") { test in
      try await test.add(try .sample("ada@example.org", at: 1000))
      try test.setState(state, try .sample("ada@example.org"))
      try await test.add(try .sample("ada@example.org", at: 2000))
      let subscriber = try #require(try await test.subscribers().first)
      #expect(subscriber.state == expected)
      let moved = state != expected
      let confirmedAt = Timestamp(millisecondsSince1970: moved ? 2000 : 1000)
      #expect(subscriber.confirmedAt == confirmedAt)
      #expect(try test.consentCount(try .sample("ada@example.org")) == 2)
    }
  }
}
