import TestSupport
import Testing

@testable import PostgreSQLStorage

@Suite(.needsPostgreSQL)
struct SchemaMigratorTests {
  @Test func `an empty database gets the latest version, once`() throws {
    let database = try TestDatabase(isMigrated: false)
    let session = try database.session()
    #expect(try session.schemaVersion(by: .soon) == .none)
    try SchemaMigrator().run(session, by: .soon)
    try SchemaMigrator().run(try database.session(), by: .soon)
    let latest = SchemaMigrator().latest
    #expect(try session.schemaVersion(by: .soon) == .version(latest, worksFrom: 1))
    let rows = try session.execute(
      Query("SELECT count(*) FROM enlist.schema_migrations"), by: .soon)
    #expect(try rows.value(0, 0) == Int64(latest))
  }

  @Test func `versions count from one`() {
    #expect(Migration.all.map(\.version) == Array(1...Migration.all.count))
    #expect(Migration.all.allSatisfy { $0.worksFrom <= $0.version })
  }

  @Test func `a schema that the operator has created is used`() throws {
    let session = try TestDatabase(isMigrated: false).session()
    try session.execute(Query("CREATE SCHEMA enlist"), by: .soon)
    try SchemaMigrator().run(session, by: .soon)
    #expect(try session.schemaVersion(by: .soon).number == SchemaMigrator().latest)
  }

  @Test func `a schema of another program is rejected and unchanged`() throws {
    let session = try TestDatabase(isMigrated: false).session()
    try session.execute(script: "CREATE SCHEMA enlist; CREATE TABLE enlist.other()", by: .soon)
    #expect(throws: MigrationError.rejected(.foreignSchema)) {
      try SchemaMigrator().run(session, by: .soon)
    }
  }

  @Test func `replicas are replaced one by one`() throws {
    let database = try TestDatabase()
    let session = try database.session()
    let old = SchemaMigrator()
    let next = old.latest + 1
    func newer(worksFrom: Int) -> SchemaMigrator {
      let step = Migration(version: next, worksFrom: worksFrom, sql: "CREATE TABLE more();")
      return SchemaMigrator(migrations: Migration.all + [step])
    }
    try newer(worksFrom: old.latest).run(session, by: .soon)
    try old.run(try database.session(), by: .soon)
    let last = Migration(version: next + 1, worksFrom: next, sql: "DROP TABLE more;")
    try SchemaMigrator(migrations: newer(worksFrom: 1).migrations + [last]).run(session, by: .soon)
    let rejection = ServerRejection.schemaNewer(found: next + 1, worksFrom: next, known: old.latest)
    #expect(throws: MigrationError.rejected(rejection)) {
      try old.run(try database.session(), by: .soon)
    }
  }

  @Test func `a step that fails changes nothing`() throws {
    let database = try TestDatabase()
    let step = Migration(
      version: SchemaMigrator().latest + 1, worksFrom: 1, sql: "CREATE TABLE more(); SELECT 1 / 0;")
    #expect(throws: MigrationError.failed(.server(try #require(SQLState("22012"))))) {
      try SchemaMigrator(migrations: Migration.all + [step]).run(try database.session(), by: .soon)
    }
    let row = try database.session().execute(
      Query("SELECT to_regclass('enlist.more') IS NULL"), by: .soon)
    #expect(try row.value(0, 0) == true)
  }
}
