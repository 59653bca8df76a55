import Testing

@testable import enlist

@Suite struct DatabaseLocationTests {
  @Test(arguments: ["enlist.sqlite", "/data/enlist.sqlite", "///data/x", "a:b", "sqlite:"])
  func `the path of a SQLite file is parsed`(_ path: String) {
    #expect(DatabaseLocation("sqlite:\(path)") == .sqlite(path: path))
  }

  @Test(
    arguments: [
      "", "sqlite", "sqlite:", "sqlite::memory:", "enlist.sqlite", "SQLITE:x",
      "sqlite:a\0b", "postgres://localhost", "postgres:enlist", "postgres://h/d?nonsense=1",
      "postgres://u@h/d\0", "mysql://localhost/enlist", "postgres://u@h:99999/d",
      "sqlite://user:password@host/x", "sqlite://host/x", "sqlite://",
    ]
  )
  func `an unknown or non-durable database is rejected`(_ text: String) {
    #expect(DatabaseLocation(text) == nil)
  }

  @Test func `a URL of PostgreSQL is parsed, and its password is never shown`() throws {
    let location = try #require(
      DatabaseLocation("postgres://enlist:secret@db1,db2:5433/list?connect_timeout=3"))
    let shown = "postgres://enlist:***@db1,db2:5433/list?connect_timeout=3"
    #expect("\(location)" == shown)
    #expect(String(reflecting: location) == shown)
    var dump = ""
    Swift.dump(location, to: &dump)
    #expect(!dump.contains("secret"))
  }
}
