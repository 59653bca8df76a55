import EmailAddresses
import Foundation
import GRDB
import MailingList
import Secrets
import TestSupport
import Testing

@testable import ListStorage
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
        sql: "UPDATE outbox SET queue = 1, id = ?, kind = ? WHERE consent_id = ?",
        arguments: [Data(mail.id.bytes), mail.kind.rawValue, Data(mail.consentID.bytes)]
      )
      try set(mail.membership, of: mail.recipient, db, store)
    }
  }

  private static func set(
    _ membership: Membership,
    of address: EmailAddress,
    _ db: Database,
    _ store: SQLiteSubscriberStore
  ) throws {
    let writer = ListWriter.forTests(db, store)
    guard let member = try writer.members(withKeys: [address.key]).first ?? nil else { return }
    #expect(try writer.session.change([member.writing(membership, at: .now)]))
  }

  /// Finds credentials by the hashes that the conformance suite makes of an id.
  private static func credentials(of id: MailID, in db: Database) throws -> MailCredentials? {
    func hash(_ number: UInt8) -> Data { Data(id.bytes + .init(repeating: number, count: 10)) }
    let token = try Row.fetchOne(
      db,
      sql: """
        SELECT t.message_id, t.subscriber_id, w.* FROM tokens t
          JOIN wordings w ON w.hash = t.wording WHERE t.hash = ? AND t.purpose = 1
        """,
      arguments: [hash(2)]
    )
    guard let token else { return nil }
    let confirm = try Data.fetchOne(
      db,
      sql: "SELECT hash FROM tokens WHERE hash = ? AND purpose = 0",
      arguments: [hash(1)]
    )
    let code = try Data.fetchOne(
      db,
      sql: "SELECT hash FROM codes WHERE subscriber_id = ?",
      arguments: [token["subscriber_id"] as Int64]
    )
    return MailCredentials(
      confirmHash: confirm.map(Array.init),
      unsubscribeHash: Array(hash(2)),
      codeHash: code.map(Array.init),
      messageID: token["message_id"],
      wording: MailWording(
        hash: Array(token["hash"] as Data),
        kind: MailKind(rawValue: token["kind"]) ?? .confirm,
        language: token["language"],
        subject: token["subject"],
        text: token["text"],
        html: token["html"]
      )
    )
  }
}

extension ListWriter {
  /// Makes a writer for a connection that a test has borrowed.
  static func forTests(_ db: Database, _ store: SQLiteSubscriberStore) -> ListWriter {
    ListWriter(
      SQLiteSession(statements: StatementCache(db)),
      keys: MailKeys(store.keyring),
      optIn: .double
    )
  }
}
