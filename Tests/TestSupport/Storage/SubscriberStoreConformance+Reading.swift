internal import MailingList
internal import Signals
internal import Testing

extension SubscriberStoreConformance {
  /// How a state moves.
  static let states: [Promise] = [
    Promise("subscribes somebody new at once") { test in
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

  /// What can be read.
  static let reading: [Promise] = [
    Promise("reads nobody from an empty list") { test in
      let subscribers = try await test.subscribers()
      #expect(subscribers.isEmpty)
    },
    Promise("reads subscribers in parts, in the order in which they came") { test in
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
    Promise("knows an execution that it stored, and no other") { test in
      let stored = try SignUp.sample("ada@example.org")
      let other = try SignUp.sample("ada@example.org")
      try await test.add(stored)
      #expect(try await test.store.hasStored(stored.id).values() == [true])
      #expect(try await test.store.hasStored(other.id).values() == [false])
    },
    Promise("says that it can store") { test in
      #expect(try await test.store.probe().values().isEmpty)
      try await test.add(try .sample())
      #expect(try await test.store.probe().values().isEmpty)
    },
  ]

  /// What a closed store does.
  static let closing: [Promise] = [
    Promise("fails every call after it was closed") { test in
      let signUp = try SignUp.sample()
      await test.store.close().ended()
      await #expect(throws: StoreError.closed) { try await test.add(signUp) }
      await #expect(throws: StoreError.closed) {
        try await test.store.hasStored(signUp.id).values()
      }
      await #expect(throws: StoreError.closed) { try await test.store.probe().values() }
      await #expect(throws: StoreError.closed) { try await test.subscribers() }
    },
    Promise("may be closed twice") { test in
      await test.store.close().ended()
      await test.store.close().ended()
    },
  ]

  private static func state(
    _ state: Subscriber.State,
    becomes expected: Subscriber.State
  ) -> Promise {
    Promise("a sign-up of who is \(state.name) makes them \(expected.name)") { test in
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
