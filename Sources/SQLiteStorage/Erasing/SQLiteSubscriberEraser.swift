package import EmailAddresses
package import MailingList
package import Secrets

/// An eraser of subscribers that works while the service is running.
///
/// One transaction deletes a subscriber with all consents, links, codes and queued mails; a
/// suppression remains as a keyed hash. Then the database file is rewritten and its log is
/// truncated. SQLite overwrites deleted content, but copies of a key remain in pages that were
/// split earlier, so only a rewritten file is free of its bytes. Meanwhile the service waits as for
/// any other writer: about one second per 100 MB.
// Not Sendable: a single thread uses it.
package final class SQLiteSubscriberEraser: SubscriberEraser {
  private let database: CommandDatabase
  private let keys: MailKeys

  /// Opens an existing database.
  ///
  /// - Parameter keyring: The secret of the service; `nil` uses that of the database.
  /// - Throws: `StoreOpeningError`, also when the schema is older than this program's, and when
  ///   there is no secret: the service could not find hashes that were made with another secret.
  package init(
    path: String,
    keyring: Keyring?,
    busyTimeout: Duration = .seconds(5)
  ) throws(StoreOpeningError) {
    database = try CommandDatabase(path: path, busyTimeout: busyTimeout)
    keys = try database.mailKeys(keyring, path: path)
  }

  /// Counts the subscribers and consents that ``erase(_:)`` would erase.
  package func count(_ addresses: [EmailAddress]) throws(StoreError) -> ErasedCounts {
    do {
      return try database.transaction("BEGIN") { db in
        try Self.select(addresses, in: db)
        return ErasedCounts(
          subscribers: Int(try db.number("SELECT count(*) FROM temp.erased") ?? 0),
          consents: Int(
            try db.number("SELECT count(*) FROM consents WHERE \(Self.isErased)") ?? 0
          )
        )
      }
    } catch {
      throw StoreError(error)
    }
  }

  /// Erases subscribers and their consents in one transaction, then removes their bytes from the
  /// files.
  ///
  /// The files are rewritten even if none of the addresses is on the list: they may still contain
  /// bytes of rows that another program deleted, or bytes that an earlier erasure could not remove.
  package func erase(
    _ addresses: [EmailAddress],
    forgettingSuppressions forgetsSuppressions: Bool
  ) throws(ErasureError) -> ErasedCounts {
    let counts: ErasedCounts
    do {
      counts = try database.transaction { db in
        let writer = ChangeWriter.forCommand(db, keys)
        let suppressed = try Set(addresses.map(\.key)).filter { key in
          try writer.keepSuppression(ofErased: key, forgetting: forgetsSuppressions, at: .now)
        }
        try Self.select(addresses, in: db)
        return try Self.delete(in: db, keeping: suppressed.count)
      }
    } catch {
      throw .notErased(StoreError(error))
    }
    do {
      try database.rewrite()
    } catch {
      throw .bytesRemain(StoreError(error))
    }
    return counts
  }

  package func close() {
    database.close()
  }

  private static let isErased = "subscriber_id IN (SELECT id FROM temp.erased)"

  /// Collects the ids of the addresses that are on the list.
  ///
  /// Only ids are stored, because temporary tables are written to separate files.
  private static func select(_ addresses: [EmailAddress], in db: SQLiteConnection) throws {
    try db.execute(
      "CREATE TEMP TABLE IF NOT EXISTS erased(id INTEGER PRIMARY KEY); DELETE FROM temp.erased"
    )
    let statement = try db.statements[
      """
      INSERT OR IGNORE INTO temp.erased SELECT id FROM main.subscribers WHERE address_key = ?1
      """
    ]
    for address in addresses {
      statement.bind(address.key, at: 1)
      try statement.run()
    }
  }

  /// Deletes the selected subscribers with their consents, links, codes and queued mails.
  ///
  /// The trigger would read all consents for each subscriber. Therefore the consents are deleted
  /// first, in one pass, and the trigger is dropped during the transaction, which hides this from
  /// other connections.
  private static func delete(
    in db: SQLiteConnection,
    keeping suppressions: Int
  ) throws -> ErasedCounts {
    let name = Migrations.consentTrigger
    let trigger = try db.text(
      "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = '\(name)'"
    )
    try db.execute("DELETE FROM consents WHERE \(isErased)")
    let consents = db.changesCount
    for table in ["tokens", "codes", "outbox"] {
      try db.execute("DELETE FROM \(table) WHERE \(isErased)")
    }
    try db.execute("DROP TRIGGER IF EXISTS \(name)")
    try db.execute("DELETE FROM subscribers WHERE id IN (SELECT id FROM temp.erased)")
    let subscribers = db.changesCount
    if let trigger { try db.execute(trigger) }
    return ErasedCounts(
      subscribers: subscribers,
      consents: consents,
      suppressions: suppressions
    )
  }
}
