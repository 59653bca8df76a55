internal import GRDB
internal import GRDBSQLite
internal import MailingList

/// What became of a transaction.
enum BatchOutcome: Sendable {
  /// It survives the loss of power, but for the members that are named by their index.
  case committed(failures: [Int: StoreError])
  /// Nothing of it was stored.
  case failed(StoreError)
}

/// Writes sign-ups into the database, many to a transaction.
///
/// The statements are the same in every state of a subscriber, and each of them writes a row, so that
/// the time tells as little as possible about who is on the list.
// @unchecked Sendable because it is made before the writer's thread is, and only that thread uses it
// afterwards.
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
  /// A first attempt has no savepoints, which cost as much as a statement. If a sign-up fails, all is
  /// undone and done again with a savepoint for each, so that only that one is left out.
  ///
  /// - Parameter requests: In the order in which they are stored.
  /// - Returns: What became of them.
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

  /// Writes something that means nothing, to learn whether it can be.
  ///
  /// - Returns: What became of it.
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

  /// Whether all could be stored; otherwise nothing was, and one of them is to blame.
  private func storeTogether(_ requests: [QueuedSignUp]) throws(StoreError) -> Bool {
    try begin.run()
    do throws(StoreError) {
      for request in requests { try insert(request.signUp) }
    } catch {
      // Without space SQLite undoes the whole transaction by itself: then no single one is to blame.
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
    try upsert.run()
    // An update leaves it as it was, so that no id is left out.
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

  /// The id of the next subscriber, as the database says; `nil` when it cannot be read.
  private func readNextID() -> Int64? {
    (try? Int64.fetchOne(lastID)).flatMap(\.self).map { $0 + 1 }
  }

  /// Ends a transaction that a failure left open, so that the next one can begin.
  private func undo() {
    guard isInTransaction else { return }
    // Its failure is of no interest: the transaction's own is reported, and if this one were to stay
    // open, the next `BEGIN` would say so, and lead here again.
    _ = try? rollback.run()
  }

  /// The corresponding C function is `sqlite3_get_autocommit`.
  private var isInTransaction: Bool { sqlite3_get_autocommit(connection) == 0 }

  /// Opt-in is single: who is pending (0) or unsubscribed (2) becomes subscribed (1).
  ///
  /// Who is suppressed (3) stays so. The address and the locale of the first sign-up stay as well.
  private static let upsertSQL = """
    INSERT INTO subscribers(
      id, address, address_key, state, locale, created_at, confirmed_at, updated_at, requested_at
    ) VALUES (?5, ?1, ?2, 1, ?3, ?4, ?4, ?4, ?4)
    ON CONFLICT(address_key) DO UPDATE SET
      state = iif(state IN (0, 2), 1, state),
      confirmed_at = iif(state IN (0, 2), excluded.confirmed_at, confirmed_at),
      unsubscribed_at = iif(state IN (0, 2), NULL, unsubscribed_at),
      updated_at = iif(state IN (0, 2), excluded.updated_at, updated_at),
      requested_at = excluded.requested_at
    """

  /// The highest id that was ever given to a subscriber.
  ///
  /// Read once and counted on from there: a subquery in each sign-up costs an eighth of its
  /// instructions.
  private static let lastIDSQL = """
    SELECT max(highest_deleted, ifnull((SELECT max(id) FROM subscribers), 0)) FROM subscriber_ids
    """

  /// Finds the subscriber by the key once more: `RETURNING id` would fill a table of its own for each
  /// sign-up, which costs a sixth of the two statements.
  private static let consentSQL = """
    INSERT INTO consents(
      subscriber_id, execution_id, kind, at, text, source_url, origin, ip, user_agent, locale
    ) VALUES (
      (SELECT id FROM subscribers WHERE address_key = ?1), ?2, 'requested', ?3, ?4, ?5, ?6, ?7, ?8, ?9
    )
    """
}
