internal import Foundation
internal import GRDB
internal import MailingList
internal import Secrets

/// The secret in the database, which a backup therefore contains.
enum StoredSecret {
  /// Reads the secret, or creates it if there is none.
  static func keyring(in db: Database) throws -> Keyring {
    if let bytes = try read(db) { return try keyring(bytes) }
    try db.execute(
      sql: "INSERT INTO secret(id, bytes) VALUES (1, ?) ON CONFLICT(id) DO NOTHING",
      arguments: [Data(Secret().bytes)]
    )
    guard let bytes = try read(db) else { throw StoreError.damaged }
    return try keyring(bytes)
  }

  /// Reads the secret of a database that a service has opened before.
  ///
  /// - Throws: `StoreOpeningError.noSecret` if there is none, `StoreError.damaged` or
  ///   `DatabaseError`.
  static func existing(in db: Database, path: String) throws -> Keyring {
    guard let bytes = try read(db) else { throw StoreOpeningError.noSecret(path: path) }
    return try keyring(bytes)
  }

  /// Checks that the secret, if there is one, is valid for a keyring.
  static func check(in db: Database) throws {
    if let bytes = try read(db) { _ = try keyring(bytes) }
  }

  private static func read(_ db: Database) throws -> Data? {
    try Data.fetchOne(db, sql: "SELECT bytes FROM secret WHERE id = 1")
  }

  private static func keyring(_ bytes: Data) throws -> Keyring {
    guard let secret = Secret(bytes: Array(bytes)) else { throw StoreError.damaged }
    return Keyring(secret)
  }
}
