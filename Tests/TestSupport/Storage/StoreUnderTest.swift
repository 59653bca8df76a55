package import MailingList

/// A store of any kind, with what the suite needs to look behind it.
package struct StoreUnderTest: Sendable {
  /// The empty store.
  package let store: any SubscriberStore
  /// How many consents there are of an address.
  package let consentCount: @Sendable (EmailAddress) throws -> Int
  /// Puts a subscriber into a state, as later features will.
  package let setState: @Sendable (Subscriber.State, EmailAddress) throws -> Void

  /// Makes one.
  ///
  /// - Parameters:
  ///   - store: The empty store.
  ///   - consentCount: How many consents there are of an address.
  ///   - setState: Puts a subscriber into a state.
  package init(
    _ store: any SubscriberStore,
    consentCount: @escaping @Sendable (EmailAddress) throws -> Int,
    setState: @escaping @Sendable (Subscriber.State, EmailAddress) throws -> Void
  ) {
    self.store = store
    self.consentCount = consentCount
    self.setState = setState
  }
}

extension StoreUnderTest {
  /// An empty store in memory.
  package static func inMemory() -> StoreUnderTest {
    let store = InMemorySubscriberStore()
    return StoreUnderTest(
      store,
      consentCount: { store.consentCount(of: $0) },
      setState: { store.setState($0, of: $1) }
    )
  }

  /// Stores a sign-up.
  ///
  /// - Parameter signUp: What to store.
  /// - Returns: What the signal sent.
  /// - Throws: `StoreError`.
  @discardableResult
  package func add(_ signUp: SignUp) async throws(StoreError) -> [Receipt] {
    try await store.add(signUp).values()
  }

  /// All subscribers, read in one part.
  ///
  /// - Returns: The subscribers in the order of their ids.
  /// - Throws: `StoreError`.
  package func subscribers() async throws(StoreError) -> [Subscriber] {
    try await store.subscribers(after: nil, limit: 10_000).values().flatMap(\.self)
  }
}
