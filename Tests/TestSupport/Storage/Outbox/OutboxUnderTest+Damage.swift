internal import EmailAddresses
package import MailingList
internal import Testing

extension OutboxUnderTest {
  /// Expects that a damaged row is deleted and counted, and that the next mail is claimed.
  ///
  /// - Parameters:
  ///   - store: The store of the outbox: empty, with double opt-in.
  ///   - damage: Damages all rows, which belong to one sign-up.
  package func expectNextMail(
    in store: any ListStore, afterDamage damage: () throws -> Void
  ) async throws {
    try await _ = store.add(try .sample("ada@example.org", at: 1_800_000_000_000)).values()
    try damage()
    try await _ = store.add(try .sample("kim@example.org", at: 1_800_000_000_001)).values()
    let batch = try await claim(limit: 1, at: 1)
    #expect(batch.mails.map(\.recipient.key) == ["kim@example.org"])
    #expect(batch.damaged == 1)
    #expect(batch.dropped == 0)
    #expect(try await claim(limit: 1, at: 2).damaged == 0)
  }
}
