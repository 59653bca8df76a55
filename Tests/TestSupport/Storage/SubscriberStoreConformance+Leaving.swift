internal import EmailAddresses
package import MailingList
internal import Signals
internal import Testing

extension SubscriberStoreConformance {
  /// The promises about leaving, and about suppressions.
  static let leaving: [Promise] = [
    Promise("a link to leave never expires, and can be used twice") { test in
      let mail = try #require(try await test.signUp(at: start).mail)
      _ = try await test.confirm(mail, at: later(1))
      let years = later(3 * 365 * 86_400)
      #expect(try await test.status(mail, .unsubscribe, at: years) == .usable)
      #expect(try await test.leave(mail, at: years) == .left)
      #expect(try await test.state() == .unsubscribed)
      #expect(try await test.subscribers().first?.unsubscribedAt == years)
      #expect(try await test.status(mail, .unsubscribe, at: years) == .done)
      #expect(try await test.leave(mail, at: later(4 * 365 * 86_400)) == .already)
      #expect(try await test.subscribers().first?.unsubscribedAt == years)
    },
    Promise("a link of an export leaves without a mail, and finds nobody else") { test in
      let mail = try #require(try await test.signUp(at: start).mail)
      _ = try await test.confirm(mail, at: later(1))
      let person = try #require(try await test.subscribers().first)
      for other in [
        LeaveProof.subscriber(person.id, createdAt: later(1)),
        .subscriber(person.id + 1, createdAt: person.createdAt),
      ] {
        #expect(try await test.leave(other, at: later(2)) == .already)
      }
      #expect(try await test.state() == .subscribed)
      let proof = LeaveProof.subscriber(person.id, createdAt: person.createdAt)
      #expect(try await test.leave(proof, at: later(3)) == .left)
      #expect(try await test.state() == .unsubscribed)
      #expect(try await test.leave(proof, at: later(4)) == .already)
      #expect(try await test.subscribers().first?.unsubscribedAt == later(3))
    },
    Promise("a link from before leaving does not confirm") { test in
      let mail = try #require(try await test.signUp(at: start).mail)
      #expect(try await test.leave(mail, at: later(1)) == .left)
      #expect(try await test.status(mail, at: later(2)) == .gone)
      #expect(try await test.confirm(mail, at: later(2)) == .refused)
      #expect(try await test.state() == .unsubscribed)
    },
    Promise("a sign-up in the millisecond of leaving gets its mail, whose link confirms") { test in
      let first = try #require(try await test.signUp(at: start).mail)
      _ = try await test.confirm(first, at: later(1))
      #expect(try await test.leave(first, at: later(700)) == .left)
      let mail = try #require(try await test.signUp(at: later(700)).mail)
      let person = ConfirmedSubscriber(id: mail.subscriberID, next: nil)
      #expect(try await test.confirm(mail, at: later(701)) == .confirmed(person))
      #expect(try await test.state() == .subscribed)
    },
    Promise("who stopped a mail is left in peace by the form, not by a renewal") { test in
      let mail = try #require(try await test.signUp(at: start).mail)
      _ = try await test.leave(mail, at: later(1))
      #expect(try await test.signUp(at: later(86_400)).mail == nil)
      #expect(try await test.renew(mail, at: later(2 * 86_400)) == true)
      #expect(try await test.deliverMail(at: later(2 * 86_400))?.kind == .confirm)
    },
    Promise("a suppressed subscriber gets no mail, and only a bounce ends") { test in
      let mail = try #require(try await test.signUp(at: start).mail)
      let address = try EmailAddress.sample("ada@example.org")
      #expect(try await test.suppress(address, .hardBounce, at: later(1)) == .suppressed)
      #expect(try await test.suppress(address, .hardBounce, at: later(2)) == .already)
      #expect(try await test.state() == .suppressed)
      #expect(try await test.signUp(at: later(700)).mail == nil)
      let time = later(31 * 86_400)
      let again = try #require(try await test.signUp(at: time).mail)
      let person = ConfirmedSubscriber(id: mail.subscriberID, next: nil)
      #expect(try await test.confirm(again, at: time) == .confirmed(person))
      #expect(try await test.suppress(address, .complaint, at: time) == .suppressed)
      #expect(try await test.confirm(again, at: later(32 * 86_400)) == .refused)
      #expect(try await test.suppress(address, .hardBounce, at: time) == .already)
    },
    Promise("an address that is not on the list is suppressed when it is signed up") { test in
      let address = try EmailAddress.sample("ada@example.org")
      #expect(try await test.suppress(address, .complaint, at: start) == .unlisted)
      #expect(try await test.suppress(address, .complaint, at: later(1)) == .already)
      #expect(try await test.suppress(address, .objected, at: later(2)) == .unlisted)
      #expect(try await test.subscribers().isEmpty)
      #expect(try await test.signUp(at: later(3)).mail == nil)
      #expect(try await test.state() == .suppressed)
      #expect(try await test.signUp("eve@example.org", at: later(4)).mail != nil)
    },
    Promise("every change fails after closing") { test in
      let mail = try #require(try await test.signUp(at: start).mail)
      await test.store.close().ended()
      await #expect(throws: StoreError.closed) { try await test.confirm(mail, at: later(1)) }
      await #expect(throws: StoreError.closed) { try await test.leave(mail, at: later(1)) }
      await #expect(throws: StoreError.closed) { try await test.status(mail, at: later(1)) }
    },
  ]

  /// The time of the first sign-up.
  package static let start = Timestamp(millisecondsSince1970: 1_800_000_000_000)

  /// Returns a time after ``start``, in seconds.
  package static func later(_ seconds: Int64) -> Timestamp { start.adding(.seconds(seconds)) }
}

extension StoreUnderTest {
  /// Returns the state of the first subscriber.
  func state() async throws -> Subscriber.State? { try await subscribers().first?.state }

  /// Looks up a link of a mail.
  func status(
    _ mail: ClaimedMail, _ purpose: LinkPurpose = .confirm, at time: Timestamp
  ) async throws -> LinkStatus? {
    let credentials = MailCredentials.sample(of: mail)
    let hash: [UInt8] =
      switch purpose {
      case .confirm: credentials.confirmHash ?? []
      case .unsubscribe: credentials.unsubscribeHash
      }
    return try await store.link(hash, for: purpose, at: time).values().first
  }

  /// Confirms by the link of a mail.
  package func confirm(_ mail: ClaimedMail, at time: Timestamp) async throws -> ConfirmationResult?
  {
    let hash = MailCredentials.sample(of: mail).confirmHash ?? []
    return try await store.confirm(hash, MembershipRequest(at: time)).values().first
  }

  /// Types the code of a mail, or a wrong one without a mail.
  func type(
    _ mail: ClaimedMail?, _ signUp: SignUp, at time: Timestamp
  ) async throws -> ConfirmationResult? {
    let typed = mail.flatMap { MailCredentials.sample(of: $0).codeHash }
    return try await store.change { list throws(StoreError) in
      try list.confirm(
        code: { hash, _ in hash == typed }, of: signUp.id, MembershipRequest(at: time))
    }
    .values().first
  }

  /// Leaves by a proof.
  func leave(_ proof: LeaveProof, at time: Timestamp) async throws -> LeaveResult? {
    try await store.leave(proof, by: .oneClick, MembershipRequest(at: time)).values().first
  }

  /// Leaves by the link of a mail.
  func leave(_ mail: ClaimedMail, at time: Timestamp) async throws -> LeaveResult? {
    let hash = MailCredentials.sample(of: mail).unsubscribeHash
    return try await leave(.link(hash), at: time)
  }

  /// Requests a new link by the link of a mail; returns whether it is known.
  func renew(_ mail: ClaimedMail, at time: Timestamp) async throws -> Bool? {
    try await renew(MailCredentials.sample(of: mail).confirmHash ?? [], at: time)
  }

  /// Requests a new link by a link.
  func renew(_ token: [UInt8], at time: Timestamp) async throws -> Bool? {
    let request = MembershipRequest(at: time)
    return try await store.change { list throws(StoreError) in try list.renew(token, request) }
      .values().first
  }

  /// Suppresses an address.
  func suppress(
    _ address: EmailAddress, _ reason: Suppression, at time: Timestamp
  ) async throws -> SuppressionResult? {
    try await store.suppress(address, reason, by: .command, at: time).values().first
  }
}
