import Testing

@testable import enlist

@Suite struct DatabaseLocationTests {
  @Test(arguments: ["enlist.sqlite", "/data/enlist.sqlite", "a:b", "sqlite:"])
  func `the path of a SQLite file is parsed`(_ path: String) {
    #expect(DatabaseLocation("sqlite:\(path)") == .sqlite(path: path))
  }

  @Test(
    arguments: [
      "", "sqlite", "sqlite:", "sqlite::memory:", "enlist.sqlite", "SQLITE:x",
      "postgres://localhost/enlist", "sqlite:a\0b",
    ]
  )
  func `an unknown or non-durable database is rejected`(_ text: String) {
    #expect(DatabaseLocation(text) == nil)
  }
}
