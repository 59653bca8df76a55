import Foundation
import TestSupport
import Testing

/// Tests that `docs/operating/troubleshooting.md` has every warning and error line.
@Suite struct TroubleshootingTests {
  /// A source file, without its comments.
  private struct Source {
    let name: String
    let text: String
  }

  private static func sources() throws -> [Source] {
    let folder = Repository.root.appending(path: "Sources")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return try (files ?? .init()).compactMap { file in
      guard let file = file as? URL, file.pathExtension == "swift" else { return nil }
      let text = try String(contentsOf: file, encoding: .utf8)
      return Source(name: file.lastPathComponent, text: text.replacing(#/(?m)^\s*//.*$/#, with: ""))
    }
  }

  /// The files whose texts are all lines of the log.
  private static let listed: Set = [
    "StoreWarning.swift", "StoreReport.swift",
    "CertificateExpiry.swift", "ServerFacts.swift",
  ]

  private static let literal = #"("""\n(?:.|\n)*?"""|"(?:\\\((?:[^()]|\([^()]*\))*\)|[^"\\\n])*")"#

  /// Returns the parts of a literal between its interpolations, on one line each.
  private static func parts(of literal: String) -> [String] {
    literal.trimmingCharacters(in: ["\""])
      .replacing(#/\\\n\s*/#, with: "")
      .replacing(#/\s+/#, with: " ")
      .replacing(#/\\\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/#, with: "\u{0}")
      .split(separator: "\u{0}")
      .map { $0.trimmingCharacters(in: .whitespaces) }
  }

  @Test func `each warning and error line is explained`() throws {
    let page = try Document("docs/operating/troubleshooting.md").text
      .replacing(#/\s+/#, with: " ")
    let calls = try Regex(
      #"(?:logger\.(?:warning|error|critical)|warnings\.append|\.log\(\s*\.(?:warning|error),)\(?\s*"#
        + Self.literal
    )
    let all = try Regex(Self.literal)
    let sums =
      #/"((?:mails|responses with|connections|malformed(?= )|event streams|errors) ?[^"\\]*)"/#
    var count = 0
    func check(_ text: Substring, in file: String) {
      // The longest part identifies a line; short ones are punctuation.
      guard let part = Self.parts(of: String(text)).max(by: { $0.count < $1.count }),
        part.count >= 16
      else { return }
      count += 1
      #expect(page.contains(part), "\(file): \(text)")
    }
    for source in try Self.sources() {
      for match in source.text.matches(of: calls) {
        check(match.output[1].substring ?? "", in: source.name)
      }
      if Self.listed.contains(source.name) {
        for match in source.text.matches(of: all) {
          check(match.output[1].substring ?? "", in: source.name)
        }
      }
      // The subjects of counts; those of `info` and `debug` need no explanation.
      guard ["MailLog.swift", "RejectionKind.swift"].contains(source.name) else { continue }
      let usual = ["sent", "rejected for", "deferred", "not wanted", "too many"]
      for match in source.text.matches(of: sums) where !usual.contains(where: match.1.contains) {
        check(match.1, in: source.name)
      }
    }
    #expect(count >= 40)
  }
}
