package import EmailAddresses
package import MailingList
internal import Signals
internal import Testing

extension StoreUnderTest {
  /// Expects that an importer adds people with their evidence, respects what is on the list, and
  /// changes nothing the second time.
  ///
  /// - Parameter importer: An importer of the list, which is empty.
  package func expectImports(
    through importer: ListCommands, suppressing suppress: (EmailAddress) throws -> Void
  ) async throws {
    let time = Timestamp(millisecondsSince1970: 1_800_000_000_000)
    let signUp = try SignUp.sample("ada@example.org", at: 1_700_000_000_000)
    try await add(signUp)
    try suppress(try EmailAddress.sample("gone@example.org"))
    let subscribed = Membership(state: .subscribed, confirmedAt: time)
    let left = Membership(state: .unsubscribed, confirmedAt: time, unsubscribedAt: time)
    let people = try [
      ImportedPerson.sample("eve@example.org", subscribed, at: time),
      ImportedPerson.sample("ada@example.org", left, leftAt: time, at: time),
      ImportedPerson.sample("gone@example.org", subscribed, at: time),
      ImportedPerson.sample(
        "bob@example.org",
        Membership(state: .suppressed, suppression: .complaint, suppressedAt: time), at: time),
    ]
    let expected: [ImportResult] = [.new, .changed, .suppressed, .new]
    #expect(try importer.store(people, at: time, onlyDeciding: true) == expected)
    #expect(try await subscribers().count == 1)
    #expect(try importer.store(people, at: time) == expected)
    #expect(try importer.store(people, at: time) == [.known, .known, .suppressed, .known])
    let list = try await subscribers()
    #expect(
      Set(list.map { "\($0.address) \($0.state)" }) == [
        "eve@example.org subscribed", "ada@example.org unsubscribed",
        "bob@example.org suppressed",
      ]
    )
    let eve = try #require(list.first { $0.address == "eve@example.org" })
    #expect(eve.confirmedAt == time)
    #expect(eve.fields == #"{"name":"Eve"}"#)
    // Sign-ups follow, with ids of their own.
    try await add(try .sample("zoe@example.org"))
    #expect(Set(try await subscribers().map(\.id)).count == 4)
  }
}

extension ImportedPerson {
  /// Makes a person with one consent.
  package static func sample(
    _ address: String, _ membership: Membership, leftAt: Timestamp? = nil, at time: Timestamp
  ) throws -> ImportedPerson {
    let address = try EmailAddress.sample(address)
    let id = Array(address.key.utf8.prefix(22)) + Array(repeating: 0, count: 22)
    return ImportedPerson(
      address: address,
      membership: membership,
      leftAt: leftAt,
      locale: "de",
      createdAt: time,
      fields: #"{"name":"Eve"}"#,
      consents: [
        RecordedConsent(
          subscriberID: 0, id: try #require(ExecutionID(bytes: id.prefix(22))), kind: "imported",
          time: time, means: nil, requestID: nil, messageID: "1@example.org",
          wording: .init(language: "de", subject: "Subject", text: "Text"),
          consent: Consent(text: "Letters", sourceURL: "import:people.csv"))
      ]
    )
  }
}
