internal import MailingList
internal import Security

/// The secret in the database, which a backup therefore contains.
enum StoredSecret {
  /// Reads the secret, or creates it if there is none.
  static func keyring(in db: SQLiteConnection) throws(StoreError) -> Keyring {
    if let bytes = try read(db) { return try keyring(bytes) }
    let insert = try db.statements[
      "INSERT INTO secret(id, bytes) VALUES (1, ?1) ON CONFLICT(id) DO NOTHING"
    ]
    insert.bind(Secret().bytes, at: 1)
    try insert.run()
    guard let bytes = try read(db) else { throw .damaged }
    return try keyring(bytes)
  }

  /// Reads the secret of a database that a service has opened before.
  ///
  /// - Throws: `StoreOpeningError.noSecret` if there is none, or `StoreError`.
  static func existing(in db: SQLiteConnection, path: String) throws -> Keyring {
    guard let bytes = try read(db) else { throw StoreOpeningError.noSecret(path: path) }
    return try keyring(bytes)
  }

  /// Checks that the secret, if there is one, is valid for a keyring.
  static func check(in db: SQLiteConnection) throws(StoreError) {
    if let bytes = try read(db) { _ = try keyring(bytes) }
  }

  private static func read(_ db: SQLiteConnection) throws(StoreError) -> [UInt8]? {
    try db.statements["SELECT bytes FROM secret WHERE id = 1"].first { row in
      row.bytes(0) ?? []
    }
  }

  private static func keyring(_ bytes: [UInt8]) throws(StoreError) -> Keyring {
    guard let secret = Secret(bytes: bytes) else { throw .damaged }
    return Keyring(secret)
  }
}
