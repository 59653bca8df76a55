import Delivery
import Foundation
import MailingList
import TestSupport
import Testing

/// Whole messages, byte for byte, as the files in `Tests/Golden` say.
///
/// With `RECORD_GOLDEN_FILES=1` in the environment the test writes the files instead; look at what
/// has changed before committing it.
@Suite struct GoldenMailTests {
  @Test(arguments: MailKind.allCases, ["en", "de", "es", "fr", "zh-Hans"])
  func `a message equals its golden file`(kind: MailKind, language: String) throws {
    let mail = try ClaimedMail.golden(kind, locale: language)
    let message = try MailComposer.sample().message(for: mail, at: .sample)
    // The files have LF, so that tools show them well.
    let text = message.text.replacing("\r\n", with: "\n")
    #expect(!text.contains("\r"))
    #expect(message.lines.joined(separator: "\n") == text)
    let file = Self.folder.appending(path: "\(kind.name).\(language).eml")
    if ProcessInfo.processInfo.environment["RECORD_GOLDEN_FILES"] == "1" {
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    let expected = try String(contentsOf: file, encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let expectedLines = expected.split(separator: "\n", omittingEmptySubsequences: false)
    for (line, expectedLine) in zip(lines, expectedLines) { #expect(line == expectedLine) }
    #expect(lines.count == expectedLines.count)
  }

  private static var folder: URL {
    Repository.root.appending(path: "Tests/Golden")
  }
}
