internal import EmailAddresses
internal import MailingList
internal import Signals
internal import Testing

extension StoreUnderTest {
  /// Expects that the operator looks up, changes and erases subscribers of an empty list.
  package func expectOperations() async throws {
    let time = Timestamp(millisecondsSince1970: 1_800_000_000_000)
    for name in ["ada", "bob"] { try await add(try .sample("\(name)@example.org")) }
    _ = try await store.suppress(try .sample("eve@example.org"), .complaint, by: .command, at: time)
      .last()
    let names = ["BOB", "eve", "zoe", "ada"]
    let addresses = try names.map { try EmailAddress.sample("\($0)@example.org") }
    let found = try #require(try await store.lookUp(addresses).last())
    #expect(
      found.map { $0.subscriber?.address } == ["bob@example.org", nil, nil, "ada@example.org"])
    #expect(found.map(\.suppression) == [nil, .complaint, nil, nil])
    let ada = try #require(found[3].subscriber)
    #expect(try await store.subscriber(ada.id).last() == .some(ada))
    #expect(try await store.subscriber(ada.id + 100).last() == .some(nil))

    let key = EventActor.key(id: "7Hq2mXw9")
    func change(
      _ change: StateChange, of id: Int64, if isExpected: Bool = true
    ) async throws -> StateChangeResult? {
      try await store.change(change, of: id, by: key, at: time) { _ in isExpected }.last()
    }
    #expect(try await change(.unsubscribe, of: ada.id + 100) == .unknown)
    #expect(try await change(.unsubscribe, of: ada.id, if: false) == .unexpected)
    #expect(try await store.subscriber(ada.id).last() == .some(ada))
    for _ in 0..<2 {
      let result = try await change(.unsubscribe, of: ada.id)
      guard case .changed(let left) = result else {
        throw TestSystemError.malformed("\(result as Any)")
      }
      #expect(left.state == .unsubscribed)
      #expect(left.unsubscribedAt == time)
    }
    let kinds = try await store.consents(ofSubscribers: ada.id...ada.id, after: nil, limit: 9)
      .last()
    #expect(kinds?.map(\.kind).sorted() == ["requested", "withdrawn"])
    for (reason, kept) in [
      (Suppression.complaint, Suppression.complaint), (.hardBounce, .complaint),
    ] {
      let result = try await change(.suppress(reason), of: ada.id)
      guard case .changed(let off) = result else {
        throw TestSystemError.malformed("\(result as Any)")
      }
      #expect(off.suppression == kept)
    }
    #expect(
      try await store.erase(ada.id, leaving: .imports, by: key, at: time) { _ in false }.last()
        == .unexpected
    )
    _ = try await store.erase(ada.id, leaving: .imports, by: key, at: time).last()
    #expect(
      try await store.erase(ada.id, leaving: .imports, by: key, at: time).last() == .unknown)
    // The suppression remains.
    #expect(
      try await store.lookUp([try .sample("ada@example.org")]).last()
        == [AddressStatus(subscriber: nil, suppression: .complaint)]
    )
    #expect(try await subscribers().map(\.address) == ["bob@example.org"])
    try await expectTraces()
  }

  /// Expects that an erasure leaves what it should.
  private func expectTraces() async throws {
    let time = Timestamp(millisecondsSince1970: 1_800_000_000_000)
    let expected: [(trace: ErasureTrace, suppression: Suppression?, added: ImportResult)] = [
      (.imports, nil, .suppressed), (.everything, .objected, .suppressed), (.nothing, nil, .new),
    ]
    for (trace, suppression, added) in expected {
      let address = try EmailAddress.sample("\(trace)@example.org")
      try await add(try .sample(address.normalized))
      func status() async throws -> AddressStatus? {
        try await store.lookUp([address]).last()?.first
      }
      let found = try #require(try await status()?.subscriber)
      _ = try await store.erase(found.id, leaving: trace, by: .command, at: time).last()
      #expect(try await status() == AddressStatus(subscriber: nil, suppression: suppression))
      let person = ImportedPerson(
        address: address, membership: Membership(state: .subscribed, confirmedAt: time),
        leftAt: nil, locale: nil, createdAt: time, fields: nil, consents: [])
      #expect(try await store.add([person], by: .command, at: time).last() == [added], "\(trace)")
      // The person can come back by signing up, unless any mail is prevented.
      try await add(try .sample(address.normalized, at: 1_800_000_000_001))
      let state: Subscriber.State = suppression == nil ? .subscribed : .suppressed
      #expect(try await status()?.subscriber?.state == state, "\(trace)")
    }
  }
}
