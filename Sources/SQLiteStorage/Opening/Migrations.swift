internal import GRDB
internal import MailingList

/// The schema: a list to which is only ever appended, one entry for each version.
///
/// What was released is never edited, since databases that have it exist. Versions count from 1.
enum Migrations {
  /// The SQL of version 1 and up.
  private static let steps: [String] = [
    // 1: the list and how it came about. Each tree makes a sign-up dirty another page, so there are
    // three: `subscribers_by_key` is the only one whose keys come in random order; execution ids begin
    // with the time, so the consents, which have no other key, are appended to.
    """
    CREATE TABLE subscribers(
      id INTEGER PRIMARY KEY,
      address TEXT NOT NULL,
      address_key TEXT NOT NULL COLLATE BINARY,
      requires_smtputf8 INTEGER NOT NULL DEFAULT 0,
      state INTEGER NOT NULL,
      locale TEXT,
      created_at INTEGER NOT NULL,
      confirmed_at INTEGER,
      unsubscribed_at INTEGER,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX subscribers_by_key ON subscribers(address_key);

    CREATE TABLE consents(
      execution_id BLOB PRIMARY KEY,
      subscriber_id INTEGER NOT NULL REFERENCES subscribers(id),
      kind TEXT NOT NULL,
      at INTEGER NOT NULL,
      text TEXT,
      source_url TEXT,
      origin TEXT,
      ip TEXT,
      user_agent TEXT,
      locale TEXT
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE store_probe(id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL) STRICT;
    INSERT INTO store_probe(id, at) VALUES (1, 0);
    """,
    // 2: a person can be erased. SQLite gives the id of the last row to the next one when that row is
    // deleted, so the highest id that was deleted is kept; AUTOINCREMENT would do the same, but makes
    // each sign-up dirty one more page. Consents go with their subscriber also where foreign keys are
    // off, as in the shell of SQLite; without an index on `subscriber_id`, which each sign-up would
    // pay for, a deletion reads all consents. `requested_at` changes with each sign-up, so that the
    // row of somebody who is on the list is written as well.
    """
    CREATE TABLE subscriber_ids(
      id INTEGER PRIMARY KEY CHECK (id = 1),
      highest_deleted INTEGER NOT NULL
    ) STRICT;
    INSERT INTO subscriber_ids(id, highest_deleted)
      SELECT 1, ifnull(max(subscriber_id), 0) FROM consents;
    DELETE FROM consents WHERE subscriber_id NOT IN (SELECT id FROM subscribers);

    CREATE TRIGGER subscribers_keep_id AFTER DELETE ON subscribers BEGIN
      UPDATE subscriber_ids SET highest_deleted = OLD.id WHERE highest_deleted < OLD.id;
    END;
    CREATE TRIGGER subscribers_delete_consents AFTER DELETE ON subscribers BEGIN
      DELETE FROM consents WHERE subscriber_id = OLD.id;
    END;

    ALTER TABLE subscribers ADD COLUMN requested_at INTEGER NOT NULL DEFAULT 0;

    UPDATE consents SET source_url = substr(source_url, 1, instr(source_url, '#') - 1)
      WHERE instr(source_url, '#') > 0;
    UPDATE consents SET source_url = substr(source_url, 1, instr(source_url, '?') - 1)
      WHERE instr(source_url, '?') > 0;
    """,
  ]

  /// The trigger that deletes consents with their subscriber.
  static let consentTrigger = "subscribers_delete_consents"

  /// The newest version that this program knows.
  static var latest: Int { steps.count }

  /// Brings a database up to date, in one transaction; writes nothing when it is.
  ///
  /// - Parameters:
  ///   - db: The writer's connection, outside a transaction.
  ///   - path: Named in errors.
  ///   - latest: The newest version that the program knows; tests lower it.
  /// - Throws: `StoreOpeningError` for a schema that is newer or another program's, or
  ///   `DatabaseError`; nothing is changed then.
  static func run(_ db: Database, path: String, upTo latest: Int = Self.latest) throws {
    guard try version(of: db, path: path, upTo: latest) < latest else { return }
    try db.inTransaction(.immediate) {
      try db.execute(
        sql: """
          CREATE TABLE IF NOT EXISTS schema_migrations(
            version INTEGER PRIMARY KEY,
            applied_at INTEGER NOT NULL
          ) STRICT
          """
      )
      // Once more, because another process may have been faster.
      for version in try version(of: db, path: path, upTo: latest)..<latest {
        try db.execute(sql: steps[version])
        try db.execute(
          sql: "INSERT INTO schema_migrations(version, applied_at) VALUES (?, ?)",
          arguments: [version + 1, Timestamp.now.millisecondsSince1970]
        )
      }
      return .commit
    }
  }

  /// Rejects a database whose schema is not the one that this program reads.
  ///
  /// - Parameters:
  ///   - db: Any connection.
  ///   - path: Named in errors.
  /// - Throws: `StoreOpeningError` or `DatabaseError`.
  static func check(_ db: Database, path: String) throws {
    let found = try version(of: db, path: path, upTo: latest)
    guard found == latest else {
      throw StoreOpeningError.schemaOlder(path: path, found: found, known: latest)
    }
  }

  /// The version of a database, 0 when it is empty; rejects what is newer or not ours.
  private static func version(of db: Database, path: String, upTo latest: Int) throws -> Int {
    let names = try String.fetchSet(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")
    guard names.contains("schema_migrations") else {
      if names.isEmpty { return 0 }
      throw StoreOpeningError.foreign(path: path)
    }
    let found = try Int.fetchOne(db, sql: "SELECT max(version) FROM schema_migrations") ?? 0
    guard found <= latest else {
      throw StoreOpeningError.schemaNewer(path: path, found: found, known: latest)
    }
    return found
  }
}
