package import EmailAddresses
package import MailingList
internal import Signals

/// An outbox under test, with access to data that its interface does not expose.
package struct OutboxUnderTest: Sendable {
  /// The empty outbox.
  package let outbox: any Outbox
  /// Whether other services use it, too.
  package let isShared: Bool
  /// Adds a mail, its subscriber and its consent, as a sign-up would; the membership of a known
  /// subscriber is replaced.
  package let add: @Sendable (WaitingMail) async throws -> Void
  /// Returns the membership of an address.
  package let membership: @Sendable (EmailAddress) async throws -> Membership
  /// Sets the membership of a known address.
  package let setMembership: @Sendable (Membership, EmailAddress) async throws -> Void
  /// Returns what is stored of a mail's links and code; `nil` if nothing is.
  package let credentials: @Sendable (MailID) async throws -> MailCredentials?

  /// Makes an outbox under test.
  ///
  /// - Parameters:
  ///   - outbox: The empty outbox.
  ///   - isShared: Whether other services use it, too.
  ///   - add: Adds a mail, its subscriber and its consent.
  ///   - membership: Returns the membership of an address.
  ///   - setMembership: Sets the membership of a known address.
  ///   - credentials: Returns what is stored of a mail's links and code.
  package init(
    _ outbox: any Outbox, isShared: Bool = false,
    add: @escaping @Sendable (WaitingMail) async throws -> Void,
    membership: @escaping @Sendable (EmailAddress) async throws -> Membership,
    setMembership: @escaping @Sendable (Membership, EmailAddress) async throws -> Void,
    credentials: @escaping @Sendable (MailID) async throws -> MailCredentials?
  ) {
    self.outbox = outbox
    self.isShared = isShared
    self.add = add
    self.membership = membership
    self.setMembership = setMembership
    self.credentials = credentials
  }
}

extension OutboxUnderTest {
  /// The lease of the claims in these tests.
  package static let lease: Duration = .seconds(180)

  /// Claims mails.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of mails.
  ///   - triedLimit: The maximum number of mails that were tried before.
  ///   - seconds: The time, in seconds after ``start``.
  /// - Returns: The batch.
  package func claim(
    limit: Int = 10, triedLimit: Int = .max, at seconds: Double = 0
  ) async throws(StoreError) -> MailBatch {
    try await batch(of: outbox.claim(Self.request(limit, triedLimit, at: seconds)))
  }

  /// Settles mails, and claims the next ones.
  ///
  /// - Parameters:
  ///   - settlements: What has become of mails.
  ///   - claim: The claim, if any.
  /// - Returns: The batch.
  @discardableResult
  package func settle(
    _ settlements: MailSettlement..., claiming claim: MailClaim? = nil
  ) async throws(StoreError) -> MailBatch {
    try await batch(of: outbox.settle(settlements, claiming: claim))
  }

  /// Returns the backlog.
  package func backlog() async throws(StoreError) -> OutboxBacklog? {
    try await outbox.backlog().values().first
  }

  /// Makes a claim whose credentials are recognizable.
  static func request(
    _ limit: Int = 10, _ triedLimit: Int = .max, at seconds: Double = 0
  ) -> MailClaim {
    MailClaim(limit: limit, triedLimit: triedLimit, now: time(seconds), lease: lease) {
      .sample(of: $0)
    }
  }

  /// Returns a time of the tests: seconds after that of a ``WaitingMail``.
  static func time(_ seconds: Double) -> Timestamp {
    Timestamp(millisecondsSince1970: 1_800_000_000_000 + Int64(seconds * 1000))
  }

  private func batch(of signal: Signal<MailBatch, StoreError>) async throws(StoreError) -> MailBatch
  {
    let batches = try await signal.values()
    return batches.count == 1
      ? batches[0] : MailBatch(mails: [], dropped: -1, withheld: -1, nextDueAt: nil)
  }
}

extension MailCredentials {
  /// Makes recognizable credentials for a mail.
  ///
  /// - Parameter mail: The mail.
  /// - Returns: Credentials in the form that stores expect: hashes of 32 bytes.
  package static func sample(of mail: ClaimedMail) -> MailCredentials {
    func hash(_ number: UInt8) -> [UInt8] { mail.id.bytes + .init(repeating: number, count: 10) }
    return MailCredentials(
      confirmHash: mail.kind == .confirm ? hash(1) : nil, unsubscribeHash: hash(2),
      codeHash: mail.kind == .confirm ? hash(3) : nil, messageID: "\(mail.attempts)@example.org",
      wording: MailWording(
        hash: .init(repeating: UInt8(mail.kind.rawValue), count: 32), kind: mail.kind,
        language: mail.locale ?? "en", subject: "Subject", text: "Text", html: "<p>Text</p>"))
  }
}
