import Testing

@testable import HTTPSignals

/// Reading `application/x-www-form-urlencoded`.
@Suite struct FormBodyReaderTests {
  @Test(
    arguments: [
      ("email=ana%40example.org", .text("ana@example.org")),
      ("email=ana@example.org", .text("ana@example.org")),
      ("email=a+b%2Bc%20d", .text("a b+c d")),
      ("x=1&email=a&y", .text("a")),
      ("&&email=a&&", .text("a")),
      ("%65mail=a", .text("a")),
      ("email=", .text("")),
      ("email", .text("")),
      ("email=a=b=c", .text("a=b=c")),
      ("email=%c3%A9", .text("é")),
      ("email=é", .text("é")),
      ("email=%F0%9F%98%80", .text("😀")),
      ("email=%00%0d%0A", .text("\u{0}\r\n")),
      ("email=a;b", .text("a;b")),
      ("email=%FF", .damagedText),
      ("email=%C3", .damagedText),
      ("email=%ED%A0%80", .damagedText),
      ("", nil),
      ("EMAIL=a", nil),
      ("=a", nil),
    ] as [(String, BodyFields.Value?)]
  )
  func `decodes the value of a form field`(form: String, email: BodyFields.Value?) throws {
    #expect(try FormBodyReader.decode(Array(form.utf8)).only("email") == email)
  }

  @Test(
    arguments: [
      "email=%", "email=%4", "email=%4g", "email=%g4", "email=%%40", "email=a%&x=40", "%=a", "%4=a",
      "x=%u0041&email=a", "%FF=a",
    ]
  )
  func `rejects forms with malformed percent-encoding or a name that is not UTF-8`(form: String) {
    #expect(throws: BodyError.self) { try FormBodyReader.decode(Array(form.utf8)) }
  }

  @Test func `reading a form field that occurs twice throws an error`() throws {
    let fields = try FormBodyReader.decode(Array("email=a&x=1&email=a&x=2".utf8))
    #expect(throws: BodyError.self) { try fields.value("email") }
    #expect(try fields.value("y") == nil)
  }
}
