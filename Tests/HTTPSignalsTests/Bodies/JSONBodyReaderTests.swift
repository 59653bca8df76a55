import Testing

@testable import HTTPSignals

/// Reading one flat JSON object.
@Suite struct JSONBodyReaderTests {
  @Test(
    arguments: [
      (#"{"email":"ana@example.org"}"#, .text("ana@example.org")),
      (" \t\r\n{ \"email\" :\n\"a\" } \n", .text("a")),
      (#"{"a":1,"email":"a","b":[]}"#, .text("a")),
      (#"{"email":""}"#, .text("")),
      (#"{"\u0065ma\u0069l":"a"}"#, .text("a")),
      (#"{"email":"\"\\\/\b\f\n\r\t"}"#, .text("\"\\/\u{8}\u{C}\n\r\t")),
      (#"{"email":"\u0000"}"#, .text("\u{0}")),
      (#"{"email":"\u00E9\u00e9é"}"#, .text("ééé")),
      (#"{"email":"\ud83d\ude00😀"}"#, .text("😀😀")),
      (#"{"email":"\uDBFF\uDFFF"}"#, .text("\u{10FFFF}")),
      (#"{"email":"\u2028\uFFFF"}"#, .text("\u{2028}\u{FFFF}")),
      ("{\"email\":\"\u{7F}\"}", .text("\u{7F}")),
      (#"{"email":"\ud800"}"#, .damagedText),
      (#"{"email":"\udc00"}"#, .damagedText),
      (#"{"email":"\ud800a"}"#, .damagedText),
      (#"{"email":"\ud800\n"}"#, .damagedText),
      (#"{"email":"\ud800\u0041"}"#, .damagedText),
      (#"{"email":"\ud800\ud83d\ude00"}"#, .damagedText),
      (#"{"email":"\ude00\ud83d"}"#, .damagedText),
      (#"{"email":null}"#, .null),
      (#"{"email":true}"#, .other),
      (#"{"email":["a@example.org"]}"#, .other),
      (#"{"email":{"email":"a"}}"#, .other),
      ("{}", nil),
      (#"{"EMAIL":"a"}"#, nil),
      (#"{"a":{"email":"a"}}"#, nil),
    ] as [(String, BodyFields.Value?)]
  )
  func `decodes the value of a JSON member`(json: String, email: BodyFields.Value?) throws {
    #expect(try JSONBodyReader.decode(Array(json.utf8)).only("email") == email)
  }

  @Test(
    arguments: [
      "0", "-0", "-1", "10", "1.5", "0.0", "1e5", "1E+5", "1e-05", "true", "false", "null", #""""#,
      "[]", "[ ]", "{}", "{ }", "[1,[2,[3]]]", #"[{"a":[{}]}, "b", null]"#, #"{"a":{"a":{}}}"#,
      #""\ud83d\ude00""#,
    ]
  )
  func `skips the values of other JSON members`(value: String) throws {
    let json = #"{"x":\#(value),"email":"a"}"#
    #expect(try JSONBodyReader.decode(Array(json.utf8)).only("email") == .text("a"))
  }

  @Test(
    arguments: [
      "", " ", "{", "}", "{}}", "{} {}", "{}x", "{},", "\u{FEFF}{}", "null", "1", #""email""#,
      #"["email"]"#, "[]", #"{"email"}"#, #"{"email":}"#, #"{"email":"a""#, #"{"email":"a"#,
      #"{"email":"a",}"#, #"{,"email":"a"}"#, #"{"a":1,,"b":2}"#, #"{"a":1 "b":2}"#,
      #"{email:"a"}"#, #"{'email':'a'}"#, #"{"email"="a"}"#, #"{1:"a"}"#, #"{null:"a"}"#,
      #"{"email":"a" // comment"# + "\n}", #"{"email":a}"#, #"{"email":"\x61"}"#,
      #"{"email":"\u12g4"}"#, #"{"email":"\u12"}"#, #"{"email":"\ud800\u12"}"#,
      #"{"email":"\U0041"}"#, #"{"email":"\"#, #"{"email":"\u"#, #"{"email":"a\"}"#,
      "{\"email\":\"a\nb\"}", "{\"email\":\"a\tb\"}", "{\"email\":\"a\u{0}b\"}",
      "{\"email\":\"\\n\u{1F}\"}", "{\u{B}}", "{\u{A0}}", "{\u{0}}",
    ]
  )
  func `rejects a body that is not one well-formed JSON object`(json: String) {
    #expect(throws: BodyError.self) { try JSONBodyReader.decode(Array(json.utf8)) }
  }

  @Test(
    arguments: [
      "01", "+1", ".5", "1.", "-", "1e", "1e+", "--1", "0x1", "NaN", "Infinity", "1_0", "tru",
      "True", "truee", "nul", "[", "]", "[1,]", "[,]", "[1 2]", "{,}", #"{"a":1,}"#, "{a:1}", "[}",
      "{]", "", #""a"#, #"["\ud800"]"#, #"{"\ud800":1}"#,
    ]
  )
  func `rejects a malformed JSON value in a skipped member`(value: String) {
    let json = #"{"x":\#(value)}"#
    #expect(throws: BodyError.self) { try JSONBodyReader.decode(Array(json.utf8)) }
    let nested = #"{"x":[\#(value),1]}"#
    if !value.isEmpty {
      #expect(throws: BodyError.self) { try JSONBodyReader.decode(Array(nested.utf8)) }
    }
  }

  @Test(
    arguments: [
      #"{"email":"a","email":"a"}"#,
      #"{"email":"a","x":1,"em\u0061il":"b"}"#,
      #"{"x":1,"email":"a","x":2}"#,
      #"{"":1,"":2}"#,
    ]
  )
  func `rejects a JSON object with duplicate member names`(json: String) {
    #expect(throws: BodyError.malformed(.repeatedMember)) {
      try JSONBodyReader.decode(Array(json.utf8))
    }
  }

  @Test func `treats member names that differ only in bytes as distinct`() throws {
    let json = "{\"\u{E9}\":\"1\",\"e\u{301}\":\"2\",\"email\":\"a\"}"
    #expect(try JSONBodyReader.decode(Array(json.utf8)).only("email") == .text("a"))
  }

  @Test func `rejects a duplicate name in an object of the maximum size`() {
    let members = (0..<32).map { #""\#($0)":\#($0)"# }
    let json = "{" + (members.dropLast() + [#""17":0"#]).joined(separator: ",") + "}"
    #expect(throws: BodyError.self) { try JSONBodyReader.decode(Array(json.utf8)) }
    let unique = "{" + members.joined(separator: ",") + "}"
    #expect(throws: Never.self) { try JSONBodyReader.decode(Array(unique.utf8)) }
  }

  @Test(
    arguments: [
      [0x80], [0xC3], [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
      [0xF4, 0x90, 0x80, 0x80],
      [0xFF], [0xF0, 0x9F, 0x98],
    ] as [[UInt8]]
  )
  func `reports ill-formed UTF-8 in the value of a member, and rejects it elsewhere`(
    bytes: [UInt8]
  ) throws {
    func json(_ before: String, _ after: String) -> [UInt8] {
      Array(before.utf8) + bytes + Array(after.utf8)
    }
    let plain = try JSONBodyReader.decode(json(#"{"email":"a"#, #"b"}"#))
    #expect(plain.only("email") == .damagedText)
    let escaped = try JSONBodyReader.decode(json(#"{"email":"\n"#, #"b"}"#))
    #expect(escaped.only("email") == .damagedText)
    #expect(throws: BodyError.self) { try JSONBodyReader.decode(json(#"{"a"#, #"":1}"#)) }
    #expect(throws: BodyError.self) { try JSONBodyReader.decode(json(#"{"a":[""#, #""]}"#)) }
    #expect(throws: BodyError.self) { try JSONBodyReader.decode(json("{", "}")) }
  }

  @Test func `skips up to 128 nested JSON values and rejects more`() throws {
    func json(_ count: Int) -> [UInt8] {
      let values = Array(repeating: #""""#, count: count / 2).joined(separator: ",")
      let members = (0..<(count / 2)).map { "\"\($0)\":{}" }.joined(separator: ",")
      return Array(#"{"x":[\#(values)],"y":{\#(members)},"email":"a"}"#.utf8)
    }
    #expect(try JSONBodyReader.decode(json(128)).only("email") == .text("a"))
    for count in [130, 2_000] {
      #expect(throws: BodyError.malformed(.tooManyNestedValues, [.init("count", 128)])) {
        try JSONBodyReader.decode(json(count))
      }
    }
  }

  @Test func `accepts JSON nested 32 levels deep and rejects deeper nesting`() throws {
    func json(_ depth: Int) -> [UInt8] {
      let open = String(repeating: "[", count: depth)
      let close = String(repeating: "]", count: depth)
      return Array(#"{"x":\#(open)\#(close),"email":"a"}"#.utf8)
    }
    #expect(try JSONBodyReader.decode(json(32)).only("email") == .text("a"))
    for depth in [33, 100, 8000] {
      #expect(throws: BodyError.malformed(.jsonDepth)) {
        try JSONBodyReader.decode(json(depth))
      }
    }
  }
}
