package import EmailAddresses
package import MailingList

/// A store under test, with access to data that its interface does not expose.
package struct StoreUnderTest: Sendable {
  /// The empty store.
  package let store: any ListStore
  /// Returns the number of consents for an address.
  package let consentCount: @Sendable (EmailAddress) throws -> Int
  /// Sets the state of a subscriber, as later features will.
  package let setState: @Sendable (Subscriber.State, EmailAddress) throws -> Void
  /// What a second sign-up with the same id fails with; `nil` in a store that takes it for the same
  /// one, sent again.
  package var repeatedID: StoreError? = .failed(code: 1555)

  /// Makes a store under test.
  ///
  /// - Parameters:
  ///   - store: The empty store.
  ///   - consentCount: Returns the number of consents for an address.
  ///   - setState: Puts a subscriber into a state.
  package init(
    _ store: any ListStore, consentCount: @escaping @Sendable (EmailAddress) throws -> Int,
    setState: @escaping @Sendable (Subscriber.State, EmailAddress) throws -> Void
  ) {
    self.store = store
    self.consentCount = consentCount
    self.setState = setState
  }
}

extension StoreUnderTest {
  /// Stores a sign-up.
  ///
  /// - Parameter signUp: The sign-up to store.
  package func add(_ signUp: SignUp) async throws(StoreError) {
    _ = try await store.add(signUp).values()
  }

  /// Signs a person up now, claims the mail, and reports it as sent.
  ///
  /// - Parameters:
  ///   - address: A valid address, which must not be waiting for a mail.
  ///   - time: The time of the sign-up.
  ///   - next: The page that follows.
  /// - Returns: The sign-up, and the mail if one was granted.
  package func signUp(
    _ address: String = "ada@example.org", at time: Timestamp, next: String? = nil,
    fields: String? = nil
  ) async throws -> (signUp: SignUp, mail: ClaimedMail?) {
    let signUp = try SignUp.sample(
      address, at: time.millisecondsSince1970, consent: Consent(next: next, fields: fields))
    try await add(signUp)
    return (signUp, try await deliverMail(at: time))
  }

  /// Claims a mail that is due, and reports it as sent.
  ///
  /// - Parameter time: The time.
  /// - Returns: The mail if one was granted.
  package func deliverMail(at time: Timestamp) async throws(StoreError) -> ClaimedMail? {
    guard let mail = try await claimMail(at: time) else { return nil }
    let settlement = MailSettlement(mail, .sent, at: time)
    _ = try await store.outbox.settle([settlement], claiming: nil).values()
    return mail
  }

  /// Claims a mail that is due.
  ///
  /// - Parameter time: The time.
  /// - Returns: The mail if one was granted.
  package func claimMail(at time: Timestamp) async throws(StoreError) -> ClaimedMail? {
    let claim = MailClaim(limit: 1, now: time, lease: .seconds(180)) { .sample(of: $0) }
    return try await store.outbox.claim(claim).values().first?.mails.first
  }

  /// Reads all subscribers in one batch.
  ///
  /// - Returns: The subscribers in the order of their ids.
  package func subscribers() async throws(StoreError) -> [Subscriber] {
    try await store.subscribers(after: nil, limit: 10_000).values().flatMap(\.self)
  }
}
