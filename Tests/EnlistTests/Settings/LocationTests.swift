import Testing

@testable import Enlist

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
  func `refuses a database that it does not know, or that would not last`(_ text: String) {
    #expect(DatabaseLocation(text) == nil)
  }

  @Test(
    arguments: [
      ("http://example.org", "http://example.org"),
      ("https://example.org/", "https://example.org"),
      ("https://example.org:8443/list/", "https://example.org:8443/list"),
      ("HTTPS://Example.org", "https://Example.org"),
      ("http://[::1]:80", "http://[::1]:80"),
    ]
  )
  func `reads a public address without the slash at its end`(
    _ text: String,
    _ expected: String
  ) {
    #expect(PublicURL(text)?.text == expected)
  }

  @Test(
    arguments: [
      "", "example.org", "ftp://example.org", "http://", "http:///x", "http://:80",
      "http://user@example.org", "http://example.org?x", "http://example.org#x",
      "http://example.org/a b", "http://example.org/\r\nX: y", "http://exämple.org",
    ]
  )
  func `refuses what cannot be the base of a link`(_ text: String) {
    #expect(PublicURL(text) == nil)
  }
}
