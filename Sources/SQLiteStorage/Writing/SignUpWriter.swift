internal import EmailAddresses
internal import GRDB
internal import GRDBSQLite
internal import MailingList

/// The outcome of a transaction.
enum BatchOutcome: Sendable {
  /// The transaction is durable, except for the sign-ups at the failed indices.
  case committed(failures: [Int: StoreError])
  /// Nothing was stored.
  case failed(StoreError)
}

/// A writer of sign-ups that stores many of them in one transaction.
///
/// The same statements run for every state of a subscriber, and each of them writes a row, so that
/// the response time discloses as little as possible about the addresses on the list.
// @unchecked Sendable because it is created before the writer's thread, and only that thread uses
// it afterwards.
final class SignUpWriter: @unchecked Sendable {
  private let connection: OpaquePointer?
  private let begin: PreparedStatement
  private let commit: PreparedStatement
  private let rollback: PreparedStatement
  private let savepoint: PreparedStatement
  private let release: PreparedStatement
  private let rollbackToSavepoint: PreparedStatement
  private let upsert: PreparedStatement
  private let consent: PreparedStatement
  private let touch: PreparedStatement
  private let lastID: Statement
  /// The id of the next subscriber.
  private var nextID: Int64

  /// Prepares the statements.
  ///
  /// - Parameter db: The writer's connection.
  /// - Throws: `DatabaseError`.
  init(_ db: Database) throws {
    connection = db.sqliteConnection
    begin = try PreparedStatement("BEGIN IMMEDIATE", in: db)
    commit = try PreparedStatement("COMMIT", in: db)
    rollback = try PreparedStatement("ROLLBACK", in: db)
    savepoint = try PreparedStatement("SAVEPOINT sign_up", in: db)
    release = try PreparedStatement("RELEASE sign_up", in: db)
    rollbackToSavepoint = try PreparedStatement("ROLLBACK TO sign_up", in: db)
    upsert = try PreparedStatement(Self.upsertSQL, in: db)
    consent = try PreparedStatement(Self.consentSQL, in: db)
    touch = try PreparedStatement("UPDATE store_probe SET at = ?1 WHERE id = 1", in: db)
    lastID = try db.makeStatement(sql: Self.lastIDSQL)
    nextID = try Int64.fetchOne(lastID).map { $0 + 1 } ?? 1
  }

  /// Stores sign-ups in one transaction.
  ///
  /// The first attempt uses no savepoints, because a savepoint costs as much as a statement. If a
  /// sign-up fails, the transaction is rolled back and repeated with a savepoint for each sign-up,
  /// so that only the failing one is left out.
  ///
  /// - Parameter requests: The sign-ups, in the order in which they are stored.
  /// - Returns: The outcome of the transaction.
  func store(_ requests: [QueuedSignUp]) -> BatchOutcome {
    let firstID = nextID
    do throws(StoreError) {
      if try storeTogether(requests) { return .committed(failures: [:]) }
      // Another program may have added a subscriber.
      nextID = readNextID() ?? firstID
      return .committed(failures: try storeOneByOne(requests))
    } catch {
      undo()
      nextID = firstID
      return .failed(error)
    }
  }

  /// Writes a row that stores no data, to check whether the database accepts writes.
  ///
  /// - Returns: The outcome of the transaction.
  func probe() -> BatchOutcome {
    do throws(StoreError) {
      try begin.run()
      touch.bind(Timestamp.now.millisecondsSince1970, at: 1)
      try touch.run()
      try commit.run()
      return .committed(failures: [:])
    } catch {
      undo()
      return .failed(error)
    }
  }

  /// Stores all sign-ups or none.
  ///
  /// - Returns: `true` when all are stored; `false` when none is, because a single one failed.
  /// - Throws: `StoreError` when the whole transaction failed.
  private func storeTogether(_ requests: [QueuedSignUp]) throws(StoreError) -> Bool {
    try begin.run()
    do throws(StoreError) {
      for request in requests { try insert(request.signUp) }
    } catch {
      // On a full disk, SQLite rolls back the whole transaction; then the cause is not one sign-up.
      guard isInTransaction else { throw error }
      try rollback.run()
      return false
    }
    try commit.run()
    return true
  }

  private func storeOneByOne(
    _ requests: [QueuedSignUp]
  ) throws(StoreError) -> [Int: StoreError] {
    var failures: [Int: StoreError] = [:]
    try begin.run()
    for (index, request) in requests.enumerated() {
      try savepoint.run()
      do throws(StoreError) {
        try insert(request.signUp)
      } catch {
        guard isInTransaction else { throw error }
        try rollbackToSavepoint.run()
        failures[index] = error
      }
      try release.run()
    }
    try commit.run()
    return failures
  }

  private func insert(_ signUp: SignUp) throws(StoreError) {
    let time = signUp.time.millisecondsSince1970
    upsert.bind(signUp.address.normalized, at: 1)
    upsert.bind(signUp.address.key, at: 2)
    upsert.bind(signUp.consent.locale, at: 3)
    upsert.bind(time, at: 4)
    upsert.bind(nextID, at: 5)
    upsert.bind(signUp.address.requiresSMTPUTF8 ? 1 : 0, at: 6)
    try upsert.run()
    // An update does not change the last row id, so no id is skipped.
    if sqlite3_last_insert_rowid(connection) == nextID { nextID += 1 }

    consent.bind(signUp.address.key, at: 1)
    consent.bind(signUp.id.bytes, at: 2)
    consent.bind(time, at: 3)
    consent.bind(signUp.consent.text, at: 4)
    consent.bind(signUp.consent.sourceURL, at: 5)
    consent.bind(signUp.consent.origin, at: 6)
    consent.bind(signUp.consent.clientAddress, at: 7)
    consent.bind(signUp.consent.userAgent, at: 8)
    consent.bind(signUp.consent.locale, at: 9)
    try consent.run()
  }

  /// Reads the id of the next subscriber from the database; `nil` when it cannot be read.
  private func readNextID() -> Int64? {
    (try? Int64.fetchOne(lastID)).flatMap(\.self).map { $0 + 1 }
  }

  /// Rolls back a transaction that a failure left open, so that the next one can begin.
  private func undo() {
    guard isInTransaction else { return }
    // A failed rollback is ignored: the error of the transaction is reported. If the transaction
    // stays open, the next `BEGIN` fails and leads here again.
    _ = try? rollback.run()
  }

  /// Whether a transaction is open; the corresponding C function is `sqlite3_get_autocommit`.
  private var isInTransaction: Bool { sqlite3_get_autocommit(connection) == 0 }

  /// Adds or updates a subscriber with single opt-in: pending (0) and unsubscribed (2) subscribers
  /// become subscribed (1).
  ///
  /// A suppressed subscriber (3) stays suppressed. The address of the first sign-up, whether it
  /// needs SMTPUTF8, and its locale are kept.
  private static let upsertSQL = """
    INSERT INTO subscribers(
      id, address, address_key, requires_smtputf8, state, locale,
      created_at, confirmed_at, updated_at, requested_at
    ) VALUES (?5, ?1, ?2, ?6, 1, ?3, ?4, ?4, ?4, ?4)
    ON CONFLICT(address_key) DO UPDATE SET
      state = iif(state IN (0, 2), 1, state),
      confirmed_at = iif(state IN (0, 2), excluded.confirmed_at, confirmed_at),
      unsubscribed_at = iif(state IN (0, 2), NULL, unsubscribed_at),
      updated_at = iif(state IN (0, 2), excluded.updated_at, updated_at),
      requested_at = excluded.requested_at
    """

  /// Reads the highest id that was ever assigned to a subscriber.
  ///
  /// The id is read once and then incremented in memory: a subquery in each sign-up would cost an
  /// eighth of its instructions.
  private static let lastIDSQL = """
    SELECT max(highest_deleted, ifnull((SELECT max(id) FROM subscribers), 0)) FROM subscriber_ids
    """

  /// Adds a consent, and looks up the subscriber by its key again.
  ///
  /// `RETURNING id` would fill a temporary table for each sign-up, which costs a sixth of the two
  /// statements.
  private static let consentSQL = """
    INSERT INTO consents(
      subscriber_id, execution_id, kind, at, text, source_url, origin, ip, user_agent, locale
    ) VALUES (
      (SELECT id FROM subscribers WHERE address_key = ?1), ?2, 'requested', ?3, ?4, ?5, ?6, ?7, ?8, ?9
    )
    """
}
