import TestSupport
import Testing

/// Tests of `enlist check`, run as a process.
@Suite struct CheckTests {
  @Test(
    arguments: [
      // The addresses, and of each line the reason or the warnings.
      (["Ada@Example.org", "b\u{FC}ro@b\u{FC}cher.de"], "", ["valid", "valid"]),
      (["ada@example.org", "ada@example,org"], "", ["valid", "domainCharacter"]),
      (["ada\u{FFFD}@example.org"], "", ["invalidUnicode"]),
      (["ada@x.test"], "", ["specialUseDomain"]),
      (["--email-level", "test", "ada@x.test"], "", ["valid"]),
      (["--", "-ada@example.org"], "", [#"valid "leadingHyphen""#]),
      // On standard input, only LF ends a line, and an empty line is an empty address.
      (["-"], "", []), (["-"], "ada@example.org\n", ["valid"]),
      (
        ["-"], "ada@example.org\n\nbea@example.org\r\n\tcy@example.org \u{2028}",
        ["valid", "empty", "controlCharacter", "controlCharacter"]
      ),
      (
        ["-"], String(repeating: "a", count: 65_536) + "@example.org\nada@example.org",
        ["tooLong", "valid"]
      ),
      (["-"], "ada\u{0}@example.org\nada@example.org", ["controlCharacter", "valid"]),
      (["-"], "ada@example.org\r\nada@example.org", ["controlCharacter", "valid"]),
      (["-"], "ada\u{FFFD}@example.org\nada@example.org", ["invalidUnicode", "valid"]),
      (["-"], "ada\u{200B}@example.org\nada@example.org", ["invisibleCharacter", "valid"]),
      (["-"], "ada\u{202E}@example.org\nada@example.org", ["invisibleCharacter", "valid"]),
    ]
  )
  func `check prints a line per address, and exits with 1 if one is invalid`(
    _ arguments: [String], _ input: String, _ results: [String]
  ) throws {
    let run = try Child.run(["enlist", "check"] + arguments, input: input)
    run.expect(results.allSatisfy { $0.hasPrefix("valid") } ? 0 : 1)
    #expect(run.errors.isEmpty)
    #expect(Self.results(of: run) == results, "\(run.output)")
    if results.first != "valid" { Self.expectPrintable(run) }
  }

  @Test func `check rejects bytes that are not UTF-8`() throws {
    let run = try Child.run(
      ["sh", "-c", #"printf 'a\355\240\200@example.org\nada@example.org' | enlist check -"#])
    run.expect(1)
    #expect(Self.results(of: run) == ["invalidUnicode", "valid"], "\(run.output)")
    Self.expectPrintable(run)
  }

  @Test func `a line has the normalized address, and a suggestion`() throws {
    let run = try Child.run(["enlist", "check", "Ada@Example.org", "ada@example,org"])
    let lines = run.output.split(separator: "\n")
    #expect(
      lines.first
        == #"{"valid":true,"normalized":"Ada@example.org","reason":null,"detail":null,"suggestion":null,"warnings":[]}"#
    )
    #expect(lines.last?.contains(#""suggestion":"ada@example.org""#) == true, "\(run.output)")
  }

  /// The reason in each line, or `valid` and its warnings.
  private static func results(of run: Child.Outcome) -> [String] {
    run.output.split(separator: "\n").map { line in
      let pattern = /\{"valid":(true|false),.*"reason":(?:null|"(\w+)"),.*"warnings":\[(.*)\]\}/
      guard let match = line.wholeMatch(of: pattern) else { return "not a result" }
      if match.1 == "false" { return match.2.map { String($0) } ?? "none" }
      return match.3.isEmpty ? "valid" : "valid \(match.3)"
    }
  }

  /// Expects that no byte of a hostile address is repeated.
  private static func expectPrintable(_ run: Child.Outcome) {
    let line = run.output.prefix { $0 != "\n" }
    #expect(line.utf8.allSatisfy { (0x20..<0x7F).contains($0) }, "\(line)")
  }
}
