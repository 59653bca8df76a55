package import EmailAddresses
package import MailingList

/// A store under test, with access to data that its interface does not expose.
package struct StoreUnderTest: Sendable {
  /// The empty store.
  package let store: any SubscriberStore
  /// Returns the number of consents for an address.
  package let consentCount: @Sendable (EmailAddress) throws -> Int
  /// Sets the state of a subscriber, as later features will.
  package let setState: @Sendable (Subscriber.State, EmailAddress) throws -> Void

  /// Makes a store under test.
  ///
  /// - Parameters:
  ///   - store: The empty store.
  ///   - consentCount: Returns the number of consents for an address.
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
  /// Makes an empty store in memory.
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
  /// - Parameter signUp: The sign-up to store.
  /// - Throws: `StoreError`.
  package func add(_ signUp: SignUp) async throws(StoreError) {
    _ = try await store.add(signUp).values()
  }

  /// Reads all subscribers in one batch.
  ///
  /// - Returns: The subscribers in the order of their ids.
  /// - Throws: `StoreError`.
  package func subscribers() async throws(StoreError) -> [Subscriber] {
    try await store.subscribers(after: nil, limit: 10_000).values().flatMap(\.self)
  }
}
