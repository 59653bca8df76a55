import EmailAddresses
import MailingList
import Security
import Signals
import TestSupport
import Testing

@testable import PostgreSQLStorage

/// Opens a store on a new database, and closes it after a test.
///
/// - Parameters:
///   - configuration: The configuration.
///   - database: The database; a new one without it.
///   - body: The test.
func withStore(
  _ configuration: PostgreSQLSubscriberStore.Configuration = .init(),
  on database: TestDatabase? = nil,
  _ body: (PostgreSQLSubscriberStore, TestDatabase) async throws -> Void
) async throws {
  let database = try database ?? TestDatabase(isMigrated: false)
  let store = try PostgreSQLSubscriberStore(database.parameters, configuration: configuration)
  do {
    try await body(store, database)
  } catch {
    await store.close().ended()
    throw error
  }
  await store.close().ended()
}

extension TestDatabase {
  /// Executes a statement in a session of its own.
  ///
  /// - Parameter query: The statement.
  /// - Returns: The result.
  @discardableResult
  func run(_ query: Query) throws -> QueryResult {
    try session().execute(query, by: .soon)
  }

  /// Reads a number.
  func count(_ query: Query) throws -> Int {
    Int(try run(query).required(0, 0, as: Int64.self))
  }
}

extension StoreUnderTest {
  /// Makes a store under test, which is inspected through another session.
  static func postgresql(
    _ store: PostgreSQLSubscriberStore, _ database: TestDatabase
  ) -> StoreUnderTest {
    var test = StoreUnderTest(
      store,
      consentCount: { address in
        try database.count(
          Query(
            """
            SELECT count(*) FROM enlist.consents WHERE kind = 'requested' AND subscriber_id =
              (SELECT id FROM enlist.subscribers WHERE address_key = $1)
            """
          ).binding(address.key)
        )
      },
      setState: { state, address in
        try database.run(
          Query("UPDATE enlist.subscribers SET state = $1 WHERE address_key = $2")
            .binding(Int16(state.rawValue)).binding(address.key)
        )
      }
    )
    test.repeatedID = nil
    return test
  }
}

extension OutboxUnderTest {
  /// Makes an outbox under test, which is inspected through another session.
  static func postgresql(
    _ store: PostgreSQLSubscriberStore, _ database: TestDatabase
  ) -> OutboxUnderTest {
    OutboxUnderTest(
      store.outbox,
      isShared: true,
      add: { mail in try await add(mail, to: store, database) },
      membership: { address in
        let rows = try database.run(
          Query(
            """
            SELECT state, suppression, confirmed_at, unsubscribed_at, suppressed_at, rejections
            FROM enlist.subscribers WHERE address_key = $1
            """
          ).binding(address.key)
        )
        return rows.count == 0 ? .none : try PostgreSQLRow(rows: rows, row: 0).membership(0)
      },
      setMembership: { membership, address in try set(membership, of: address, database) },
      credentials: { id in try credentials(of: id, database) }
    )
  }

  /// Signs the recipient up, and gives the mail that follows the id and the kind of the test.
  private static func add(
    _ mail: WaitingMail, to store: PostgreSQLSubscriberStore, _ database: TestDatabase
  ) async throws {
    _ = try await store.add(mail.signUp).values()
    try database.run(
      Query("UPDATE enlist.outbox SET queue = 1, id = $1, kind = $2 WHERE consent_id = $3")
        .binding(mail.id.bytes).binding(Int16(mail.kind.rawValue)).binding(mail.consentID.bytes)
    )
    try set(mail.membership, of: mail.recipient, database)
  }

  private static func set(
    _ membership: Membership, of address: EmailAddress, _ database: TestDatabase
  ) throws {
    try database.run(
      Query(
        """
        UPDATE enlist.subscribers SET state = $2, suppression = $3, confirmed_at = $4,
          unsubscribed_at = $5, suppressed_at = $6, rejections = $7 WHERE address_key = $1
        """
      )
      .binding(address.key).binding(Int16(try #require(membership.state).rawValue))
      .binding(membership.suppression.map { Int16($0.rawValue) })
      .binding(membership.confirmedAt).binding(membership.unsubscribedAt)
      .binding(membership.suppressedAt).binding(Int32(membership.rejections))
    )
  }

  /// Finds credentials by the hashes that the conformance suite makes of an id.
  private static func credentials(
    of id: MailID, _ database: TestDatabase
  ) throws -> MailCredentials? {
    func hash(_ number: UInt8) -> [UInt8] { id.bytes + .init(repeating: number, count: 10) }
    let rows = try database.run(
      Query(
        """
        SELECT t.message_id, w.hash, w.kind, w.language, w.subject, w.text, w.html,
          (SELECT hash FROM enlist.tokens WHERE hash = $2 AND purpose = 0),
          (SELECT hash FROM enlist.codes k WHERE k.subscriber_id = t.subscriber_id)
        FROM enlist.tokens t JOIN enlist.wordings w ON w.hash = t.wording
        WHERE t.hash = $1 AND t.purpose = 1
        """
      ).binding(hash(2)).binding(hash(1))
    )
    guard rows.count > 0 else { return nil }
    return MailCredentials(
      confirmHash: try rows.value(0, 7), unsubscribeHash: hash(2), codeHash: try rows.value(0, 8),
      messageID: try rows.required(0, 0),
      wording: MailWording(
        hash: try rows.required(0, 1),
        kind: MailKind(rawValue: Int64(try rows.required(0, 2, as: Int16.self))) ?? .confirm,
        language: try rows.required(0, 3), subject: try rows.required(0, 4),
        text: try rows.required(0, 5), html: try rows.required(0, 6)))
  }
}
