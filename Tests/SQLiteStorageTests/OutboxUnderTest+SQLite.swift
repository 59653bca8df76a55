import EmailAddresses
@testable import MailingList
import Security
import TestSupport
import Testing

@testable import SQLiteStorage

extension OutboxUnderTest {
  /// Creates a SQLite outbox under test, which is inspected through its writer's connection.
  ///
  /// - Parameter store: A store with double opt-in.
  /// - Returns: Its outbox.
  static func sqlite(_ store: SQLiteSubscriberStore) -> OutboxUnderTest {
    OutboxUnderTest(
      store.outbox,
      add: { mail in try await add(mail, to: store) },
      membership: { address in
        try store.withConnection { db in
          let member = try ListWriter.forTests(db, store).members(withKeys: [address.key]).first
          return member??.membership ?? .none
        }
      },
      setMembership: { membership, address in
        try store.withConnection { db in try set(membership, of: address, db, store) }
      },
      credentials: { id in try store.withConnection { try credentials(of: id, in: $0) } }
    )
  }

  /// Signs the recipient up, and gives the mail that follows the id and the kind of the test.
  private static func add(_ mail: WaitingMail, to store: SQLiteSubscriberStore) async throws {
    _ = try await store.add(mail.signUp).values()
    try store.withConnection { db in
      try db.execute(
        """
        UPDATE outbox SET queue = 1, id = \(mail.id.bytes.sql), kind = \(mail.kind.rawValue)
          WHERE consent_id = \(mail.consentID.bytes.sql)
        """
      )
      try set(mail.membership, of: mail.recipient, db, store)
    }
  }

  private static func set(
    _ membership: Membership, of address: EmailAddress, _ db: SQLiteConnection,
    _ store: SQLiteSubscriberStore
  ) throws {
    let writer = ListWriter.forTests(db, store)
    guard let member = try writer.members(withKeys: [address.key]).first ?? nil else { return }
    #expect(try writer.session.change(member.writing(membership, by: .system, at: .now)))
  }

  /// Finds credentials by the hashes that the conformance suite makes of an id.
  private static func credentials(of id: MailID, in db: SQLiteConnection) throws -> MailCredentials?
  {
    func hash(_ number: UInt8) -> [UInt8] { id.bytes + .init(repeating: number, count: 10) }
    let row = try db.file.rows(
      """
      SELECT t.message_id, w.hash, w.kind, w.language, w.subject, w.text, w.html,
          (SELECT hash FROM codes c WHERE c.subscriber_id = t.subscriber_id)
        FROM tokens t JOIN wordings w ON w.hash = t.wording
        WHERE t.hash = \(hash(2).sql) AND t.purpose = 1
      """
    ).first
    guard let row else { return nil }
    let confirm = try db.file.bytes(
      "SELECT hash FROM tokens WHERE hash = \(hash(1).sql) AND purpose = 0")
    return MailCredentials(
      confirmHash: confirm.first, unsubscribeHash: hash(2), codeHash: row[7].bytes,
      messageID: row[0].text ?? "",
      wording: MailWording(
        hash: row[1].bytes ?? [],
        kind: row[2].number.flatMap { MailKind(rawValue: $0) } ?? .confirm,
        language: row[3].text ?? "", subject: row[4].text ?? "", text: row[5].text ?? "",
        html: row[6].text ?? ""))
  }
}

extension ListWriter {
  /// Makes a writer for a connection that a test has borrowed.
  static func forTests(_ db: SQLiteConnection, _ store: SQLiteSubscriberStore) -> ListWriter {
    ListWriter(SQLiteSession(db), keys: MailKeys(store.keyring), optIn: .double)
  }
}
