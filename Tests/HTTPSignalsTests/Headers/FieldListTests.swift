import HTTPSignals
import HTTPTypes
import Testing

/// The list of header fields, of requests and of responses.
@Suite struct FieldListTests {
  private func name(_ name: String) throws -> HTTPField.Name {
    try #require(HTTPField.Name(name))
  }

  private func lines(_ fields: FieldList) -> [String] {
    fields.pairs.map { "\($0): \($1)" }
  }

  @Test func `matches the names of header fields case-insensitively`() throws {
    let fields = FieldList([
      "Content-TYPE": "text/plain", "X": "", "Prefer": "a", "prefer": "b", "@[^{": "c", "^x": "d",
    ])
    #expect(fields.first(.contentType) == "text/plain")
    #expect(fields.first(.accept) == nil)
    #expect(fields.first(try name("x")) == "")
    #expect(fields.values(of: .prefer) == ["a", "b"])
    #expect(fields.count(of: .prefer) == 2)
    #expect(fields.first(try name("^X")) == "d")
    // Only letters have case, but `^` and `~` differ in the same bit as `A` and `a`.
    #expect(fields.first(try name("~x")) == nil)
    #expect(fields.count == 6)
    #expect(!fields.namesAreTokens)
  }

  @Test(arguments: [0, 1, 8, 9, 16, 17, 64, 100])
  func `keeps any number of fields in their order`(count: Int) {
    let numbers = 0..<count
    var received = FieldList()
    var made = FieldList()
    for number in numbers {
      let value = String(repeating: "v", count: number)
      received.append(contentsOf: FieldList(["x\(number)": value]))
      made.append(.vary, value, "/", "\(number)")
    }
    #expect(lines(received) == numbers.map { "x\($0): " + String(repeating: "v", count: $0) })
    #expect(lines(made) == numbers.map { "Vary: " + String(repeating: "v", count: $0) + "/\($0)" })
    #expect(received.count == count)
    #expect(received.byteCount == received.pairs.reduce(0) { $0 + $1.name.count + $1.value.count })
    #expect(received.namesAreTokens)
  }

  @Test func `passes names and values as C strings`() {
    let fields: FieldList = [.location: "/executions/06gv", .vary: "", .link: "é"]
    var lines: [String] = []
    fields.forEachCString { lines.append("\(String(cString: $0)): \(String(cString: $1))") }
    #expect(lines == ["Location: /executions/06gv", "Vary: ", "Link: é"])
  }

  @Test func `setting a value replaces all values of the name`() {
    var fields = FieldList(["vary": "a", "Allow": "GET", "Vary": "b"])
    fields[.vary] = "Origin"
    #expect(lines(fields) == ["Allow: GET", "Vary: Origin"])
    fields[.vary] = nil
    fields[.location] = nil
    #expect(lines(fields) == ["Allow: GET"])
    #expect(fields[.allow] == "GET")
  }

  @Test func `a copy does not change with its original`() {
    let original: FieldList = [.allow: "GET"]
    var copy = original
    copy.append(.vary, "Origin")
    copy[.allow] = "POST"
    #expect(lines(original) == ["Allow: GET"])
    #expect(lines(copy) == ["Vary: Origin", "Allow: POST"])
  }

  @Test func `keeps bytes that are not text as received`() {
    var fields = FieldList()
    let name: [UInt8] = [0x58, 0x00, 0xFF]
    let value: [UInt8] = [0x00, 0x61]
    name.withUnsafeBytes { name in
      value.withUnsafeBytes { fields.append(name: name, value: $0) }
    }
    #expect(lines(fields) == ["X\u{0}\u{FFFD}: \u{0}a"])
    #expect(fields.byteCount == 5)
    #expect(!fields.namesAreTokens)
  }

  @Test func `spells the names of the program's fields`() {
    let names: [HTTPField.Name] = [
      .acceptPost, .forwarded, .hostField, .lastEventID, .link, .prefer, .preferenceApplied,
      .referrerPolicy, .secFetchSite, .xAccelBuffering, .xForwardedFor, .xForwardedHost,
      .xRobotsTag,
    ]
    #expect(
      names.map(\.canonicalName) == [
        "accept-post", "forwarded", "host", "last-event-id", "link", "prefer",
        "preference-applied", "referrer-policy", "sec-fetch-site", "x-accel-buffering",
        "x-forwarded-for", "x-forwarded-host", "x-robots-tag",
      ]
    )
  }
}
