import Foundation
import HTTPSignals
import Testing

/// Writing JSON.
@Suite struct JSONTextTests {
  private func written(_ members: (inout JSONObject) -> Void) -> String {
    var json = JSONText()
    json.object(members)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  @Test(
    arguments: [
      ("", #""""#),
      ("plain", #""plain""#),
      (#"say "hi""#, #""say \"hi\"""#),
      (#"back\slash"#, #""back\\slash""#),
      ("a/b", #""a/b""#),
      ("\u{0}", #""\u0000""#),
      ("\u{1}\u{8}\t\n\u{B}\u{C}\r\u{1F}", #""\u0001\u0008\u0009\u000a\u000b\u000c\u000d\u001f""#),
      ("\r\n", #""\u000d\u000a""#),
      ("\u{7F}", #""\u007f""#),
      ("\u{80}\u{9F}", "\"\u{80}\u{9F}\""),
      ("\u{2028}\u{2029}", "\"\u{2028}\u{2029}\""),
      ("é€😀👩‍👩‍👧", "\"é€😀👩‍👩‍👧\""),
      ("e\u{301}", "\"e\u{301}\""),
      ("\u{FFFF}\u{10FFFF}", "\"\u{FFFF}\u{10FFFF}\""),
    ]
  )
  func `escapes control characters, quotation marks and backslashes in JSON strings`(
    text: String, expected: String
  ) {
    let written = written { $0.member("a", text) }
    #expect(Array(written.utf8) == Array(#"{"a":\#(expected)}"#.utf8))
  }

  @Test(arguments: [
    (#"""#, #"\""#), (#"\"#, #"\\"#), ("\u{1F}", #"\u001f"#), ("\u{7F}", #"\u007f"#),
  ])
  func `a character is escaped at each position in a text of any length`(
    character: String, expected: String
  ) {
    // Those next to the characters that are escaped, and letters of several bytes.
    let neighbors = String(repeating: " !#[]~\u{80}é", count: 3)
    for length in 0...24 {
      for position in 0...length {
        let before = String(neighbors.prefix(position))
        let after = String(neighbors.suffix(length - position))
        let text = written { $0.member("a", before + character + after) }
        #expect(text == #"{"a":"\#(before)\#(expected)\#(after)"}"#)
        let plain = written { $0.member("a", before + after) }
        #expect(plain == #"{"a":"\#(before)\#(after)"}"#)
      }
    }
  }

  @Test func `Foundation decodes every scalar below U+3000 that is written as JSON`() throws {
    for value in (0..<0x3000 as Range<UInt32>) {
      let text = String(try #require(Unicode.Scalar(value)))
      var json = JSONText()
      json.object { $0.member("a", text) }
      let read = try JSONDecoder().decode([String: String].self, from: Data(json.bytes))
      let back = try #require(read["a"])
      guard Array(back.utf8) == Array(text.utf8) else {
        Issue.record("U+\(String(value, radix: 16)) does not survive a round trip")
        return
      }
    }
  }

  @Test func `written JSON never contains a line break`() {
    let scalars = (0..<0x3000 as Range<UInt32>).compactMap(Unicode.Scalar.init)
    let text = String(String.UnicodeScalarView(scalars))
    let written = written { $0.member("a", text) }
    #expect(written.utf8.allSatisfy { $0 >= 0x20 })
  }

  @Test func `writes JSON members of every type in their order`() {
    let written = written { object in
      object.member("text", "a")
      object.member("nothing", nil)
      object.member("least", Int.min)
      object.member("most", Int.max)
      object.member("yes", true)
      object.member("no", false)
      object.object("empty") { _ in }
      object.object("inner") { inner in
        inner.member("a", 1)
        inner.object("deep") { $0.member("b", 2) }
        inner.member("c", 3)
      }
      object.array("none", [Int]()) { _, _ in }
      object.array("some", [1, 2]) { number, element in element.member("n", number) }
      object.member("last", "z")
    }
    #expect(
      written == """
        {"text":"a","nothing":null,"least":-9223372036854775808,"most":9223372036854775807,\
        "yes":true,"no":false,"empty":{},"inner":{"a":1,"deep":{"b":2},"c":3},"none":[],\
        "some":[{"n":1},{"n":2}],"last":"z"}
        """
    )
  }

  @Test func `writes an empty JSON object`() {
    #expect(written { _ in } == "{}")
  }

  @Test(
    arguments: [
      ("plain", #""plain""#),
      ("a\"b\\c", #""a\"b\\c""#),
      ("\r\n\t", #""\r\n\t""#),
      ("\u{0}\u{7F}\u{9F}", #""\u0000\u007f\u009f""#),
      ("\u{2028}\u{202E}\u{2066}", #""\u2028\u202e\u2066""#),
      ("\u{A0}\u{1F600}", "\"\u{A0}\u{1F600}\""),
    ]
  )
  func `a string for a line has no character that ends a line or controls a terminal`(
    text: String, expected: String
  ) {
    var json = JSONText(escaping: .line)
    json.string(text)
    #expect(Array(json.bytes) == Array(expected.utf8))
  }

  @Test func `escapes names of members that come from outside of the program`() {
    let written = written { object in
      object.member(named: "a\"b", "x")
      object.member(named: "", nil)
      object.object("inner") { $0.member(named: "c", "y") }
    }
    #expect(written == #"{"a\"b":"x","":null,"inner":{"c":"y"}}"#)
  }
}
