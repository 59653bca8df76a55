internal import Foundation
internal import GRDB
internal import ListStorage
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
  private let database: DatabaseQueue

  /// Opens a file; creates the target if it does not exist.
  ///
  /// - Throws: `StoreOpeningError`, also while a service uses the file, and when its schema is
  ///   older than this program's.
  package init(
    path: String,
    as role: CopyRole,
    busyTimeout: Duration = .seconds(5),
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
      database = try DatabaseOpening.reader(
        path: path,
        busyTimeout: busyTimeout,
        allowsUnsafeTransactions: true
      )
    case .target:
      try files.checkLog()
      database = try DatabaseOpening.owner(
        of: files.database,
        named: path,
        busyTimeout: busyTimeout
      )
    }
    do {
      try database.inDatabase { db in
        switch role {
        case .source: try db.execute(sql: "BEGIN")
        case .target: try Self.prepare(db, path: path)
        }
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

  package func part(
    of table: ListTable,
    after key: [UInt8]?
  ) throws(StoreError) -> RowPart {
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
    try access { db in
      guard try db.tableExists(Migrations.copyTable) else { return nil }
      let rows = try Row.fetchAll(db, sql: "SELECT * FROM \(Migrations.copyTable)")
      var lastKeys: [String: [UInt8]] = [:]
      for row in rows {
        guard let key = Data.fromDatabaseValue(row["last_key"]) else { continue }
        guard let table = String.fromDatabaseValue(row["table_name"]) else { continue }
        lastKeys[table] = Array(key)
      }
      return CopyState(
        source: (rows.first?["source"]).flatMap(String.fromDatabaseValue) ?? "",
        lastKeys: lastKeys,
        count: rows.reduce(0) { $0 &+ (Int.fromDatabaseValue($1["rows"]) ?? 0) }
      )
    }
  }

  package func begin(from source: String) throws(StoreError) {
    try transaction { db in
      try db.execute(
        sql: "\(Migrations.copySchema); DELETE FROM secret"
      )
      for table in ListTable.all {
        try db.execute(
          sql: "INSERT INTO \(Migrations.copyTable)(table_name, source) VALUES (?, ?)",
          arguments: [table.name, source]
        )
      }
    }
  }

  package func store(_ part: RowPart, in table: ListTable) throws(StoreError) {
    let parameters = (1...table.columns.count).map { "$\($0)" }.joined(separator: ", ")
    try transaction { db in
      let insert = try PreparedStatement(
        "INSERT INTO \(table.name)(\(table.columnList)) VALUES (\(parameters))",
        in: db
      )
      try part.bytes.withUnsafeBytes { bytes in
        var fields = RowFields(bytes)
        while !fields.isEmpty {
          try insert.bind(&fields, table.columns)
          try insert.run()
        }
      }
      try db.execute(
        sql: """
          UPDATE \(Migrations.copyTable) SET last_key = ?, rows = rows + ? WHERE table_name = ?
          """,
        arguments: [Data(part.lastKey), part.sum.count, table.name]
      )
    }
  }

  package func finish(lastID: Int64) throws(StoreError) {
    guard lastID <= ListReader.subscriberIDs.upperBound else { throw .damaged }
    try transaction { db in
      try db.execute(
        sql: "UPDATE subscriber_ids SET highest_deleted = max(highest_deleted, ?)",
        arguments: [lastID]
      )
      try db.execute(sql: "DROP TABLE \(Migrations.copyTable)")
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
  private static func prepare(_ db: Database, path: String) throws {
    let version = try Migrations.version(of: db, path: path, mayBeUnfinished: true)
    switch version {
    case 0: try Migrations.run(db, path: path)
    case Migrations.latest: break
    default:
      throw StoreOpeningError.schemaOlder(path: path, found: version, known: Migrations.latest)
    }
  }

  private func number(_ sql: String) throws(StoreError) -> Int64 {
    let number = try access { db in try Int64.fetchOne(db, sql: sql) }
    guard let number else { throw .damaged }
    return number
  }

  private func access<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
    do {
      return try database.inDatabase(body)
    } catch {
      throw StoreError(error)
    }
  }

  private func transaction(_ body: (Database) throws -> Void) throws(StoreError) {
    try access { db in
      try db.inTransaction(.immediate) {
        try body(db)
        return .commit
      }
    }
  }
}
