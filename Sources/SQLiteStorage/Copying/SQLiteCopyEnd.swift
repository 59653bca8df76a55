internal import Glibc
package import MailingList

/// A database file that is the source or the target of a copy.
///
/// It holds the lock of a service, so no service can start before the copy ends. Other programs,
/// such as `enlist erase`, can change the file; then the comparison fails.
// Not Sendable: a single thread uses it.
package final class SQLiteCopyEnd: CopyEnd {
  private let path: String
  private let lock: StoreLock
  private let database: SQLiteConnection

  /// Opens a file; creates the target if it does not exist.
  ///
  /// - Throws: `StoreOpeningError`, also while a service uses the file, and when its schema is
  ///   older than this program's.
  package init(
    path: String, as role: CopyRole, busyTimeout: Duration = .seconds(5),
    warn: @Sendable (StoreWarning) -> Void = { _ in }
  ) throws(StoreOpeningError) {
    self.path = path
    let files = DatabaseFiles(path: path)
    if role == .target { Self.create(files) }
    let lock = try DatabaseOpening.lock(files, warn: warn)
    lock.setOwner(to: FileStatus(at: files.database))
    self.lock = lock
    switch role {
    case .source:
      database = try DatabaseOpening.reader(path: path, busyTimeout: busyTimeout)
    case .target:
      try files.checkLog()
      database = try DatabaseOpening.owner(
        of: files.database, named: path, busyTimeout: busyTimeout)
    }
    do {
      switch role {
      case .source: try database.execute("BEGIN")
      case .target: try Self.prepare(database, path: path)
      }
    } catch {
      throw StoreOpeningError(error, path: path)
    }
  }

  package var location: String { path }

  package func createdAt() throws(StoreError) -> Int64 {
    try number("SELECT applied_at FROM schema_migrations WHERE version = 1")
  }

  package func count(_ table: ListTable) throws(StoreError) -> Int {
    Int(try number(table.countSQL()))
  }

  package func part(of table: ListTable, after key: [UInt8]?) throws(StoreError) -> RowPart {
    try access { db in
      let statement = try PreparedStatement(table.selectSQL(isFirst: key == nil), in: db)
      var part = RowPart(of: table)
      try (key ?? []).withUnsafeBytes { key in
        var fields = RowFields(key)
        try statement.bind(&fields, table.columns.prefix(key.isEmpty ? 0 : table.keyCount))
        while try statement.next() { try statement.appendRow(table.columns, to: &part) }
      }
      return part
    }
  }

  package func lastID() throws(StoreError) -> Int64 {
    try access(Queries.lastSubscriberID)
  }

  package func progress() throws(StoreError) -> CopyState? {
    try access { (db) -> CopyState? in
      let name = Migrations.copyTable
      guard try db.number("SELECT 1 FROM sqlite_schema WHERE name = '\(name)'") != nil else {
        return nil
      }
      let statement = try PreparedStatement(
        "SELECT source, table_name, last_key, rows FROM \(name)", in: db)
      var source = ""
      var lastKeys: [String: [UInt8]] = [:]
      var count = 0
      while try statement.next() {
        source = statement.text(0) ?? ""
        if let table = statement.text(1) { lastKeys[table] = statement.bytes(2) }
        count &+= Int(statement.number(3) ?? 0)
      }
      return CopyState(source: source, lastKeys: lastKeys, count: count)
    }
  }

  package func begin(from source: String) throws(StoreError) {
    try transaction { db in
      try db.execute("\(Migrations.copySchema); DELETE FROM secret")
      let insert = try PreparedStatement(
        "INSERT INTO \(Migrations.copyTable)(table_name, source) VALUES (?1, ?2)", in: db)
      for table in ListTable.all {
        insert.bind(table.name, at: 1)
        insert.bind(source, at: 2)
        try insert.run()
      }
    }
  }

  package func store(_ part: RowPart, in table: ListTable) throws(StoreError) {
    let parameters = (1...table.columns.count).map { "$\($0)" }.joined(separator: ", ")
    try transaction { db in
      let insert = try PreparedStatement(
        "INSERT INTO \(table.name)(\(table.columnList)) VALUES (\(parameters))", in: db)
      try part.bytes.withUnsafeBytes { bytes in
        var fields = RowFields(bytes)
        while !fields.isEmpty {
          try insert.bind(&fields, table.columns)
          try insert.run()
        }
      }
      let update = try PreparedStatement(
        "UPDATE \(Migrations.copyTable) SET last_key = ?1, rows = rows + ?2 WHERE table_name = ?3",
        in: db)
      update.bind(part.lastKey, at: 1)
      update.bind(Int64(part.sum.count), at: 2)
      update.bind(table.name, at: 3)
      try update.run()
    }
  }

  package func finish(lastID: Int64) throws(StoreError) {
    guard lastID <= ListReader.subscriberIDs.upperBound else { throw .damaged }
    try transaction { db in
      try db.execute(
        """
        UPDATE subscriber_ids SET highest_deleted = max(highest_deleted, \(lastID));
        DROP TABLE \(Migrations.copyTable)
        """
      )
    }
  }

  /// Creates the target; root sets its owner to that of its folder, because the service runs as
  /// that user.
  private static func create(_ files: DatabaseFiles) {
    guard FileStatus(at: files.database) == nil else { return }
    DatabaseFiles.create(at: files.database)
    let folder = DatabaseFiles.split(files.database).folder
    guard geteuid() == 0, let owner = FileStatus(at: folder) else { return }
    // If the owner is wrong, the service reports the problem at startup.
    _ = chown(files.database, owner.userID, owner.groupID)
  }

  /// Creates the schema in an empty target; rejects a file of another release.
  private static func prepare(_ db: SQLiteConnection, path: String) throws {
    let version = try Migrations.version(of: db, path: path, mayBeUnfinished: true)
    switch version {
    case 0: try Migrations.run(db, path: path)
    case Migrations.latest: break
    default:
      throw StoreOpeningError.schemaOlder(path: path, found: version, known: Migrations.latest)
    }
  }

  private func number(_ sql: String) throws(StoreError) -> Int64 {
    let number = try access { db in try db.number(sql) }
    guard let number else { throw .damaged }
    return number
  }

  private func access<Value>(_ body: (SQLiteConnection) throws -> Value) throws(StoreError) -> Value
  {
    do {
      return try body(database)
    } catch {
      throw StoreError(error)
    }
  }

  private func transaction(_ body: (SQLiteConnection) throws -> Void) throws(StoreError) {
    try access { db in try db.transaction("BEGIN IMMEDIATE", body) }
  }
}
