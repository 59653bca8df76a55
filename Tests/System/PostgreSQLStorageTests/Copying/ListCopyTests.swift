import MailingList
import SQLiteStorage
import TestSupport
import Testing

@testable import PostgreSQLStorage

/// Tests of copies between a file and a server.
@Suite(.needsPostgreSQL, .serialized) struct ListCopyTests {
  private func toServer(
    _ path: String, _ database: TestDatabase, _ proceed: (ListCopy.Progress) -> Bool = { _ in true }
  ) throws -> [ListCopy.Table] {
    let source = try SQLiteCopyEnd(path: path, as: .source)
    let target = try PostgreSQLCopyEnd(database.parameters, as: .target)
    return try ListCopy(from: source, to: target).run(proceed)
  }

  private func toFile(
    _ database: TestDatabase, _ path: String, _ proceed: (ListCopy.Progress) -> Bool = { _ in true }
  ) throws -> [ListCopy.Table] {
    let source = try PostgreSQLCopyEnd(database.parameters, as: .source)
    let target = try SQLiteCopyEnd(path: path, as: .target)
    return try ListCopy(from: source, to: target).run(proceed)
  }

  @Test func `a list goes to a server and back with every row and its secret`() throws {
    let folder = try Folder()
    let path = try FullList.make(in: folder)
    let database = try TestDatabase(isMigrated: false)
    let there = try toServer(path, database)
    #expect(there.map(\.name) == ListTable.all.map(\.name))
    #expect(there.map(\.rows.count) == [1, 5, 3, 2, 2, 2, 2, 2, 1, 2, 1, 3, 3, 2, 2, 2])
    // A time of the server may be more exact.
    try database.run(Query("UPDATE enlist.outbox SET due_at = due_at + interval '1 microsecond'"))
    let back = folder("back.sqlite")
    #expect(try toFile(database, back) == there)
    #expect(try FullList.rows(back) == FullList.rows(path))
    // A service accepts both.
    _ = try PostgreSQLSubscriberReader(database.parameters)
    _ = try SQLiteSubscriberReader(path: back)
  }

  @Test func `no id of a subscriber is used again`() throws {
    let folder = try Folder()
    let path = try FullList.make(in: folder)
    let database = try TestDatabase(isMigrated: false)
    _ = try toServer(path, database)
    let next = Query("SELECT nextval(pg_get_serial_sequence('enlist.subscribers', 'id'))")
    #expect(try database.count(next) == 1001)
    let back = folder("back.sqlite")
    _ = try toFile(database, back)
    #expect(try FullList.number(back, "SELECT highest_deleted FROM subscriber_ids") == 1001)
  }

  @Test(arguments: [2, 3, 4, 6])
  func `an interrupted copy is resumed, and until then nothing else accepts the target`(
    _ calls: Int
  ) throws {
    let folder = try Folder()
    // Two parts each.
    let path = try FullList.make(in: folder, adding: RowPart.maximumCount + 100)
    let database = try TestDatabase(isMigrated: false)
    let back = folder("back.sqlite")
    var left = calls
    func interrupt(_ progress: ListCopy.Progress) -> Bool {
      left -= 1
      return left >= 0
    }
    #expect(throws: CopyError.interrupted) { try toServer(path, database, interrupt) }
    let location = "\(database.parameters)"
    #expect(throws: PostgreSQLOpeningError.rejected(location: location, .unfinishedCopy)) {
      try PostgreSQLSubscriberReader(database.parameters)
    }
    let there = try toServer(path, database)
    #expect(there[1].rows.count == 5 + RowPart.maximumCount + 100)

    left = calls
    #expect(throws: CopyError.interrupted) { try toFile(database, back, interrupt) }
    #expect(throws: StoreOpeningError.unfinishedCopy(path: back)) {
      try SQLiteSubscriberReader(path: back)
    }
    #expect(try toFile(database, back) == there)
    #expect(try FullList.rows(back) == FullList.rows(path))
  }

  @Test func `a copy outlasts every timeout of the server`() throws {
    let folder = try Folder()
    let path = try FullList.make(in: folder)
    let database = try TestDatabase(isMigrated: false)
    // transaction_timeout is one of version 17.
    try database.session().execute(
      script: """
        DO $$ DECLARE timeout text; BEGIN
          FOR timeout IN SELECT name FROM pg_settings WHERE name IN ('idle_session_timeout',
            'idle_in_transaction_session_timeout', 'lock_timeout', 'statement_timeout',
            'transaction_timeout')
          LOOP
            EXECUTE format('ALTER DATABASE %I SET %I = 200', current_database(), timeout);
          END LOOP;
        END $$
        """,
      by: .soon
    )
    /// The other side of the copy is slow twice.
    func slowly() -> (ListCopy.Progress) -> Bool {
      var pauses = 2
      return { _ in
        if pauses > 0 { pause(.milliseconds(300)) }
        pauses -= 1
        return true
      }
    }
    let there = try toServer(path, database, slowly())
    #expect(try toFile(database, folder("back.sqlite"), slowly()) == there)
  }

  @Test func `a copy whose session the server ends says so, and is resumed`() throws {
    let folder = try Folder()
    let path = try FullList.make(in: folder)
    let database = try TestDatabase(isMigrated: false)
    let other = try database.session()
    // The session is that of a program with another name.
    try other.execute(Query("SET application_name = 'other'"), by: .soon)
    let terminate = Query(
      """
      SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()
      """
    )
    var isEnded = false
    // Not that the outcome is undetermined.
    let error = CopyError.failed(location: "\(database.parameters)", .unreachable)
    #expect(throws: error) {
      try toServer(path, database) { _ in
        if !isEnded { isEnded = (try? other.execute(terminate, by: .soon)) != nil }
        return true
      }
    }
    _ = try toServer(path, database)
    let back = folder("back.sqlite")
    _ = try toFile(database, back)
    #expect(try FullList.rows(back) == FullList.rows(path))
  }

  @Test func `one changed row is noticed, and the target is not used`() throws {
    let folder = try Folder()
    let path = try FullList.make(in: folder)
    let database = try TestDatabase(isMigrated: false)
    let session = try database.session()
    var hasChanged = false
    let error = #expect(throws: CopyError.self) {
      // The session is that of a program with another name.
      try session.execute(Query("SET application_name = 'other'"), by: .soon)
      _ = try toServer(path, database) { progress in
        guard case .compared = progress, !hasChanged else { return true }
        hasChanged = true
        let change = Query("UPDATE enlist.subscribers SET rejections = 3 WHERE id = 2")
        return (try? session.execute(change, by: .soon)) != nil
      }
    }
    guard case .differs("subscribers", let source, let target) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(source.count == target.count)
    #expect(source.hash != target.hash)
    let location = "\(database.parameters)"
    #expect(throws: PostgreSQLOpeningError.rejected(location: location, .unfinishedCopy)) {
      try PostgreSQLSubscriberReader(database.parameters)
    }
  }

  @Test func `a consent without a subscriber is named, and left out on request`() throws {
    let folder = try Folder()
    let path = try FullList.make(in: folder)
    let database = try TestDatabase(isMigrated: false)
    let there = try toServer(path, database)
    try database.run(
      Query(
        "INSERT INTO enlist.consents(id, subscriber_id, kind, at) "
          + "VALUES ('\\x00ff', 999, 'requested', now())"
      ))
    let back = folder("back.sqlite")
    let location = "\(database.parameters)"
    let expected = CopyError.orphan(location: location, table: "consents", id: "00ff")
    #expect(throws: expected) { try toFile(database, back) }
    #expect(expected.description.contains("--skip-orphans"))

    let source = try PostgreSQLCopyEnd(database.parameters, as: .source)
    let target = try SQLiteCopyEnd(path: back, as: .target)
    let copy = ListCopy(from: source, to: target, skipsOrphans: true)
    #expect(try copy.orphanCount() == 1)
    #expect(try copy.run() == there)
    #expect(try FullList.rows(back) == FullList.rows(path))
  }

  @Test func `a target with a list is rejected, and one with another unfinished copy`() throws {
    let folder = try Folder()
    let other = try Folder()
    let path = try FullList.make(in: folder)
    let database = try TestDatabase(isMigrated: false)
    #expect(throws: CopyError.interrupted) {
      var left = 3
      _ = try toServer(path, database) { _ in
        left -= 1
        return left >= 0
      }
    }
    let location = "\(database.parameters)"
    let otherPath = try FullList.make(in: other)
    #expect(throws: CopyError.otherSource(location: location)) {
      try toServer(otherPath, database)
    }
    _ = try toServer(path, database)
    #expect(throws: CopyError.notEmpty(location: location)) { try toServer(path, database) }
    #expect(throws: CopyError.notEmpty(location: path)) { try toFile(database, path) }
  }

  @Test func `the secret of a target that nobody has used is replaced`() async throws {
    let folder = try Folder()
    let path = try FullList.make(in: folder)
    let database = try TestDatabase(isMigrated: false)
    try await withStore(on: database) { _, _ in }
    let before = try database.run(Query("SELECT bytes FROM enlist.secret"))
    #expect(try toServer(path, database).first?.rows.count == 1)
    let after = try database.run(Query("SELECT bytes FROM enlist.secret"))
    #expect(try before.required(0, 0, as: [UInt8].self) != after.required(0, 0))
  }

  @Test func `nothing is copied while a service uses either side`() async throws {
    let folder = try Folder()
    let path = try FullList.make(in: folder)
    let database = try TestDatabase(isMigrated: false)
    let error = PostgreSQLOpeningError.inUse(location: "\(database.parameters)")
    try await withStore(on: database) { _, _ in
      for role in [CopyRole.source, .target] {
        #expect(throws: error) {
          try PostgreSQLCopyEnd(database.parameters, as: role, timeout: .seconds(1))
        }
      }
    }
    let store = try SQLiteSubscriberStore(path: path)
    for role in [CopyRole.source, .target] {
      #expect(throws: StoreOpeningError.self) { try SQLiteCopyEnd(path: path, as: role) }
    }
    await store.close().ended()
    _ = try toServer(path, database)
  }

  @Test func `a text with U+0000 gets a character that a server accepts`() throws {
    let folder = try Folder()
    let path = try FullList.make(in: folder)
    try FullList.write(path, "UPDATE consents SET text = 'a' || char(0) || 'b' WHERE text = ''")
    let database = try TestDatabase(isMigrated: false)
    _ = try toServer(path, database)
    let find = Query("SELECT count(*) FROM enlist.consents WHERE text = $1")
    #expect(try database.count(find.binding("a\u{FFFD}b")) == 1)
  }

  @Test(arguments: ListTable.all)
  func `every column of a table is copied`(_ table: ListTable) throws {
    let names = Set(table.columns.map(\.name))
    let database = try TestDatabase()
    let server = try database.run(
      Query(
        """
        SELECT attname::text FROM pg_attribute
        WHERE attrelid = 'enlist.\(table.name)'::regclass AND attnum > 0 AND NOT attisdropped
        """
      )
    )
    let found = try (0..<server.count).map { try server.required($0, 0, as: String.self) }
    #expect(Set(found) == names)
    let folder = try Folder()
    let path = try FullList.make(in: folder)
    let count = "SELECT count(*) FROM pragma_table_info('\(table.name)')"
    #expect(try FullList.number(path, count) == Int64(names.count))
  }
}
