internal import GRDB
internal import MailingList

/// The schema as an append-only list of migrations, one for each version.
///
/// Released migrations are never edited, because databases that have them exist. Versions count
/// from 1.
enum Migrations {
  /// The SQL of each version, starting with version 1.
  private static let steps: [String] = [
    // 1: the subscribers and their consents. A sign-up writes one page in every B-tree, so there
    // are only three. `subscribers_by_key` is the only one whose keys arrive in random order:
    // execution ids begin with the time, so rows are appended to `consents`, which has no other
    // key.
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
    // 2: erasure of subscribers. SQLite reuses the id of the last row after its deletion, so the
    // highest deleted id is kept. AUTOINCREMENT would do the same, but each sign-up would write one
    // more page. A trigger deletes consents with their subscriber, because foreign keys may be off,
    // as in the SQLite shell. A deletion reads all consents: an index on `subscriber_id` would make
    // each sign-up more expensive. `requested_at` changes with each sign-up, so that a repeated
    // sign-up also writes the row of the subscriber.
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
    // 3: confirmation by mail. The outbox is appended to, because a mail is due at the time of its
    // sign-up; a sign-up without a mail writes the same row into queue 0, so that both cost the
    // same. Tokens and codes are stored as hashes, mailboxes and suppressions as keyed hashes. Who is
    // suppressed already is so by the operator's decision, because no command did it. With
    // the index, deleting a subscriber no longer reads all consents; new subscribers are appended
    // to it.
    """
    ALTER TABLE subscribers ADD COLUMN suppression INTEGER;
    ALTER TABLE subscribers ADD COLUMN suppressed_at INTEGER;
    ALTER TABLE subscribers ADD COLUMN rejections INTEGER NOT NULL DEFAULT 0;
    UPDATE subscribers SET suppression = 3, suppressed_at = updated_at WHERE state = 3;

    ALTER TABLE consents RENAME COLUMN execution_id TO id;
    ALTER TABLE consents ADD COLUMN next TEXT;
    ALTER TABLE consents ADD COLUMN request_id BLOB;
    ALTER TABLE consents ADD COLUMN means TEXT;
    ALTER TABLE consents ADD COLUMN message_id TEXT;
    ALTER TABLE consents ADD COLUMN wording BLOB;
    CREATE INDEX consents_by_subscriber ON consents(subscriber_id);

    CREATE TABLE outbox(
      queue INTEGER NOT NULL,
      due_at INTEGER NOT NULL,
      id BLOB NOT NULL,
      subscriber_id INTEGER NOT NULL,
      consent_id BLOB NOT NULL,
      mailbox BLOB NOT NULL,
      kind INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      granted_at INTEGER,
      attempts INTEGER NOT NULL DEFAULT 0,
      is_claimed INTEGER NOT NULL DEFAULT 0,
      last_error TEXT,
      PRIMARY KEY (queue, due_at, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE tokens(
      hash BLOB PRIMARY KEY,
      purpose INTEGER NOT NULL,
      subscriber_id INTEGER NOT NULL,
      consent_id BLOB NOT NULL,
      made_at INTEGER NOT NULL,
      expires_at INTEGER,
      used_at INTEGER,
      message_id TEXT NOT NULL,
      wording BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX tokens_by_subscriber ON tokens(subscriber_id);
    CREATE TABLE codes(
      subscriber_id INTEGER PRIMARY KEY,
      hash BLOB,
      made_at INTEGER,
      expires_at INTEGER,
      tries INTEGER NOT NULL DEFAULT 0,
      consent_id BLOB,
      message_id TEXT,
      wording BLOB
    ) STRICT;
    CREATE TABLE mailboxes(
      mac BLOB PRIMARY KEY,
      mail_1 INTEGER NOT NULL,
      mail_2 INTEGER,
      mail_3 INTEGER,
      mail_4 INTEGER,
      mail_5 INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE wordings(
      hash BLOB PRIMARY KEY,
      kind INTEGER NOT NULL,
      language TEXT NOT NULL,
      subject TEXT NOT NULL,
      text TEXT NOT NULL,
      html TEXT NOT NULL,
      first_used_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE suppressions(
      key_hash BLOB PRIMARY KEY,
      reason INTEGER NOT NULL,
      at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE secret(id INTEGER PRIMARY KEY CHECK (id = 1), bytes BLOB NOT NULL) STRICT;

    CREATE TRIGGER subscribers_delete_links AFTER DELETE ON subscribers BEGIN
      DELETE FROM tokens WHERE subscriber_id = OLD.id;
      DELETE FROM codes WHERE subscriber_id = OLD.id;
    END;
    """,
    // 4: keys of the operator's interface, of which only a hash is stored. `scopes` are names
    // separated by commas, and `last_used_at` is a whole minute.
    """
    CREATE TABLE keys(
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      scopes TEXT NOT NULL,
      hash BLOB NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER,
      revoked_at INTEGER,
      last_used_at INTEGER,
      last_used_from TEXT,
      last_origin TEXT
    ) STRICT, WITHOUT ROWID;
    """,
  ]

  /// The trigger that deletes consents with their subscriber.
  static let consentTrigger = "subscribers_delete_consents"

  /// The table that a database has while a list is being copied to it.
  static let copyTable = "copy_progress"

  /// The SQL that creates this table.
  static let copySchema = """
    CREATE TABLE \(copyTable)(
      table_name TEXT PRIMARY KEY,
      source TEXT NOT NULL,
      last_key BLOB,
      rows INTEGER NOT NULL DEFAULT 0
    ) STRICT
    """

  private static let versionTable = "schema_migrations"

  /// The SQL that creates the table of versions, which precedes the first one.
  private static let versionSchema = """
    CREATE TABLE IF NOT EXISTS \(versionTable)(
      version INTEGER PRIMARY KEY,
      applied_at INTEGER NOT NULL
    ) STRICT
    """

  /// The schema of each version, and what any of them may have as well.
  private static let schemas = Result {
    try DatabaseQueue(named: nil, configuration: SQLiteLibrary.configuration()).inDatabase { db in
      try db.execute(sql: versionSchema)
      var versions = [try Schema(of: db)]
      for step in steps {
        try db.execute(sql: step)
        versions.append(try Schema(of: db))
      }
      // Operators may run ANALYZE, which makes tables of its own.
      try db.execute(sql: copySchema + "; ANALYZE")
      let optional = try Schema(of: db).subtracting(versions[steps.count])
      return (versions: versions, optional: optional)
    }
  }

  /// The latest version that this program supports.
  static var latest: Int { steps.count }

  /// Migrates a database to the latest version in one transaction; writes nothing if it is current.
  ///
  /// - Parameter latest: The latest version; tests pass an earlier one.
  /// - Throws: `StoreOpeningError` if the schema is newer or belongs to another program, or
  ///   `DatabaseError`; the database is then unchanged.
  static func run(_ db: Database, path: String, upTo latest: Int = Self.latest) throws {
    guard try version(of: db, path: path, upTo: latest) < latest else { return }
    try db.inTransaction(.immediate) {
      try db.execute(sql: versionSchema)
      // Read the version again, because another process may have migrated the database meanwhile.
      for version in try version(of: db, path: path, upTo: latest)..<latest {
        try db.execute(sql: steps[version])
        try db.execute(
          sql: "INSERT INTO \(versionTable)(version, applied_at) VALUES (?, ?)",
          arguments: [version + 1, Timestamp.now.millisecondsSince1970]
        )
      }
      return .commit
    }
  }

  /// Rejects a database whose schema version is not the latest.
  static func check(_ db: Database, path: String) throws {
    let found = try version(of: db, path: path, upTo: latest)
    guard found == latest else {
      throw StoreOpeningError.schemaOlder(path: path, found: found, known: latest)
    }
  }

  /// Returns the schema version, 0 for an empty database; rejects newer, changed and foreign schemas.
  ///
  /// Nothing that the file may contain runs before its schema is known to be that of the version.
  static func version(
    of db: Database,
    path: String,
    upTo latest: Int = Self.latest,
    mayBeUnfinished: Bool = false
  ) throws -> Int {
    let schema = try Schema(of: db)
    if schema.isEmpty { return 0 }
    let (versions, optional) = try schemas.get()
    guard schema.agrees(on: versionTable, with: versions[0]) else {
      throw StoreOpeningError.foreign(path: path)
    }
    guard mayBeUnfinished || !schema.contains(copyTable) else {
      throw StoreOpeningError.unfinishedCopy(path: path)
    }
    let found = try Int.fetchOne(db, sql: "SELECT max(version) FROM \(versionTable)") ?? 0
    guard found <= latest else {
      throw StoreOpeningError.schemaNewer(path: path, found: found, known: latest)
    }
    let expected = versions[max(found, 0)]
    if let reason = schema.difference(from: expected, optional: optional, version: found) {
      throw StoreOpeningError.damaged(path: path, reason: reason)
    }
    return found
  }
}
