internal import EmailAddresses
internal import MailingList
internal import Signals
internal import Testing

extension StoreUnderTest {
  /// Expects that each change of an empty list with double opt-in has its event.
  ///
  /// - Parameter number: Gives committed events their positions, if the store does not.
  package func expectEvents(numberingWith number: () throws -> Void = {}) async throws {
    let time = Timestamp(millisecondsSince1970: 1_800_000_000_000)
    func events(after position: Int64 = 0, limit: Int = 100) async throws -> EventPage {
      try number()
      guard let page = try await store.events(after: position, limit: limit).last() else {
        throw TestSystemError.malformed("the store sent no events")
      }
      return page
    }
    var page = try await events()
    #expect(page.events.isEmpty && page.newest == 0 && !page.epoch.isEmpty)

    let (_, mail) = try await signUp("ada@example.org", at: time)
    _ = try await confirm(try #require(mail), at: time.adding(.seconds(1)))
    let (_, other) = try await signUp("bob@example.org", at: time)
    #expect(other != nil)
    // The mail again, for the support of a person.
    let waiting = try await store.lookUp([try .sample("bob@example.org")]).last()?.first
    let bobsID = try #require(waiting?.subscriber?.id)
    guard case .changed = try await store.requestConfirmation(of: bobsID, at: time).last() else {
      throw TestSystemError.malformed("no mail was queued")
    }
    #expect(try await deliverMail(at: time.adding(.seconds(86_400)))?.kind == .confirm)
    let found = try #require(
      try await store.lookUp([
        try .sample("ada@example.org"), try .sample("bob@example.org"),
      ]).last()
    )
    let (ada, bob) = (try #require(found[0].subscriber), try #require(found[1].subscriber))
    let key = EventActor.key(id: "7Hq2mXw9")
    #expect(try await store.requestConfirmation(of: ada.id, at: time).last() == .unexpected)
    #expect(try await store.requestConfirmation(of: ada.id + 100, at: time).last() == .unknown)
    _ = try await store.change(.unsubscribe, of: ada.id, by: key, at: time) { _ in true }.last()
    // What changes nothing has no event.
    _ = try await store.change(.unsubscribe, of: ada.id, by: key, at: time) { _ in true }.last()
    let address = try EmailAddress.sample("ada@example.org")
    for _ in 0..<2 {
      _ = try await store.suppress(address, .complaint, by: .command, at: time).last()
    }
    _ = try await store.change(.unsubscribe, of: ada.id, by: key, at: time) { _ in true }.last()
    let person = ImportedPerson(
      address: try .sample("cy@example.org"),
      membership: Membership(state: .subscribed, confirmedAt: time), leftAt: nil, locale: nil,
      createdAt: time, fields: nil, consents: [])
    for _ in 0..<2 { _ = try await store.add([person], by: .command, at: time).last() }
    try await expectImportedConfirmation(at: time)
    _ = try await store.erase(bob.id, leaving: .imports, by: key, at: time).last()
    // An address that is not on the list has no event.
    _ = try await store.suppress(try .sample("x@example.org"), .complaint, by: key, at: time).last()

    page = try await events()
    let lines = page.events.map { event in
      [
        event.kind.name, event.previous?.name ?? "-", event.state.name, event.actor.text,
        event.detail ?? "-", event.subscriber?.address ?? "\(event.subscriberID == bob.id)",
      ].joined(separator: " ")
    }
    #expect(
      lines == [
        "subscriber.requested - pending form - ada@example.org",
        "mail.accepted pending pending system confirm ada@example.org",
        "subscriber.confirmed pending subscribed owner - ada@example.org",
        "subscriber.requested - pending form - true",
        "mail.accepted pending pending system confirm true",
        "mail.accepted pending pending system confirm true",
        "subscriber.unsubscribed subscribed unsubscribed key:7Hq2mXw9 - ada@example.org",
        "subscriber.suppressed unsubscribed suppressed cli complaint ada@example.org",
        "subscriber.released suppressed unsubscribed key:7Hq2mXw9 - ada@example.org",
        "subscriber.imported - subscribed cli - cy@example.org",
        "subscriber.imported - pending cli - dee@example.org",
        "mail.accepted pending pending system confirm dee@example.org",
        "subscriber.confirmed pending subscribed owner - dee@example.org",
        "subscriber.erased pending pending key:7Hq2mXw9 - true",
      ]
    )
    #expect(page.events.map(\.position) == Array(1...14))
    #expect(page.newest == 14)
    let part = try await events(after: 4, limit: 3)
    #expect(part.events.map(\.position) == [5, 6, 7])
    #expect(part.continues(after: 4) && part.epoch == page.epoch)
    #expect(try await store.subscriberCounts().last() == [.subscribed: 2, .unsubscribed: 1])
  }

  /// Expects that a pending person of another list, who joined it long ago, can be asked to confirm.
  private func expectImportedConfirmation(at time: Timestamp) async throws {
    let address = try EmailAddress.sample("dee@example.org")
    let joined = time.adding(.seconds(-400 * 86_400))
    let consent = RecordedConsent(
      subscriberID: 0, id: try #require(ExecutionID(bytes: Array(repeating: 1, count: 22))),
      kind: "imported", time: joined, means: nil, requestID: nil, messageID: nil, wording: nil,
      consent: Consent())
    let person = ImportedPerson(
      address: address, membership: Membership(state: .pending), leftAt: nil, locale: nil,
      createdAt: joined, fields: nil, consents: [consent])
    _ = try await store.add([person], by: .command, at: time).last()
    let found = try await store.lookUp([address]).last()?.first?.subscriber
    let id = try #require(found).id
    guard case .changed = try await store.requestConfirmation(of: id, at: time).last() else {
      throw TestSystemError.malformed("no mail was queued")
    }
    let mail = try #require(try await deliverMail(at: time.adding(.seconds(86_400))))
    let confirmation = try await confirm(mail, at: time.adding(.seconds(86_401)))
    #expect(confirmation == .confirmed(ConfirmedSubscriber(id: id, next: nil)))
  }
}
