import TestSupport
import Testing

/// Tests of `enlist check`, run as a process.
@Suite struct CheckTests {
  private func check(
    _ arguments: [String], input: [UInt8] = []
  ) throws -> (end: ChildProcess.End, lines: [Substring], errors: String) {
    let process = try ChildProcess("enlist", ["check"] + arguments, input: input)
    let output = try process.readOutput()
    let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
    return (try process.wait(), lines, process.standardError)
  }

  /// Returns the reason in a line, or `valid`.
  private func result(_ line: Substring) -> Substring {
    guard line.contains("\"valid\":false") else { return "valid" }
    return line.split(separator: "\"reason\":\"").last?.split(separator: "\"").first ?? "none"
  }

  @Test func `check prints a line per address and exits with 0 if all are valid`() throws {
    let outcome = try check(["Ada@Example.org", "b\u{FC}ro@b\u{FC}cher.de"])
    #expect(outcome.end == .exit(0))
    #expect(outcome.errors.isEmpty)
    #expect(outcome.lines.count == 2)
    #expect(
      outcome.lines.first
        == #"{"valid":true,"normalized":"Ada@example.org","reason":null,"detail":null,"suggestion":null,"warnings":[]}"#
    )
  }

  @Test func `check exits with 1 if one address is invalid`() throws {
    let outcome = try check(["ada@example.org", "ada@example,org"])
    #expect(outcome.end == .exit(1))
    #expect(outcome.lines.map(result) == ["valid", "domainCharacter"])
    #expect(outcome.lines.last?.contains(#""suggestion":"ada@example.org""#) == true)
  }

  @Test func `only LF ends a line of standard input, and an empty line is an empty address`()
    throws
  {
    let input = Array("ada@example.org\n\nbea@example.org\r\n\tcy@example.org \u{2028}".utf8)
    let outcome = try check(["-"], input: input)
    #expect(outcome.end == .exit(1))
    #expect(
      outcome.lines.map(result) == ["valid", "empty", "controlCharacter", "controlCharacter"])
  }

  @Test func `check prints no line for empty input, nor after a final LF`() throws {
    #expect(try check(["-"]).lines.isEmpty)
    #expect(try check(["-"], input: Array("ada@example.org\n".utf8)).lines.count == 1)
  }

  @Test(
    arguments: [
      (Array(repeating: 0x61, count: 65_536) + Array("@example.org".utf8), "tooLong"),
      (Array("ada\u{0}@example.org".utf8), "controlCharacter"),
      (Array("ada@example.org\r".utf8), "controlCharacter"),
      ([0x61, 0xED, 0xA0, 0x80] + Array("@example.org".utf8), "invalidUnicode"),
      (Array("ada\u{FFFD}@example.org".utf8), "invalidUnicode"),
      (Array("ada\u{200B}@example.org".utf8), "invisibleCharacter"),
      (Array("ada\u{202E}@example.org".utf8), "invisibleCharacter"),
    ] as [([UInt8], String)]
  )
  func `check rejects a hostile line with the reason and does not repeat the line`(
    line: [UInt8], reason: String
  ) throws {
    let outcome = try check(["-"], input: line + [0x0A] + Array("ada@example.org".utf8))
    #expect(outcome.lines.map(result) == [Substring(reason), "valid"])
    #expect(outcome.lines.first?.utf8.allSatisfy { (0x20..<0x7F).contains($0) } == true)
  }

  @Test func `check reports a replacement character in an argument as invalid Unicode`() throws {
    #expect(try check(["ada\u{FFFD}@example.org"]).lines.map(result) == ["invalidUnicode"])
  }

  @Test func `check reads the level setting, and accepts a leading hyphen after --`() throws {
    #expect(try check(["ada@x.test"]).lines.map(result) == ["specialUseDomain"])
    #expect(try check(["--email-level", "test", "ada@x.test"]).end == .exit(0))
    #expect(try check(["--", "-ada@example.org"]).lines.first?.contains("leadingHyphen") == true)
    #expect(try check(["--email-level", "lax", "a@b.org"]).end == .exit(64))
  }

  @Test func `check without an address exits with code 64`() throws {
    #expect(try check([]).end == .exit(64))
  }
}
