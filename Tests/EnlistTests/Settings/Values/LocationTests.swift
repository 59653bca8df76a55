import Testing

@testable import enlist

@Suite struct LocationTests {
  @Test(arguments: ["enlist.sqlite", "/data/enlist.sqlite", "a:b", "sqlite:"])
  func `reads the path of a SQLite file`(_ path: String) {
    #expect(DatabaseLocation("sqlite:\(path)") == .sqlite(path: path))
  }

  @Test(
    arguments: [
      "", "sqlite", "sqlite:", "sqlite::memory:", "enlist.sqlite", "SQLITE:x",
      "postgres://localhost/enlist", "sqlite:a\0b",
    ]
  )
  func `rejects a database that it does not know, or that would not last`(_ text: String) {
    #expect(DatabaseLocation(text) == nil)
  }
}
