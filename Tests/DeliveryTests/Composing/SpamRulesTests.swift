import Delivery
import Foundation
import MailingList
import TestSupport
import Testing

/// Messages as SpamAssassin rates them.
///
/// Only the rules of the Debian package apply, without the network and without what a filter has
/// learned. The messages have no Received fields, because the rules about them rate the hosts of the
/// relay; NO_RECEIVED and NO_RELAYS, which say so, give 0 points.
@Suite(
  .enabled(
    if: FileManager.default.isExecutableFile(atPath: "/usr/bin/spamassassin"),
    "spamassassin is not installed: Scripts/bootstrap all installs it"))
struct SpamRulesTests {
  private static let languages = ["en", "de", "es", "fr", "zh-Hans"]

  @Test func `no mail in any language gets a point`() throws {
    // One process for all mails: it takes two seconds to read its rules.
    var mailbox = ""
    for kind in MailKind.allCases {
      for language in Self.languages {
        let mail = try ClaimedMail.golden(kind, locale: language)
        let message = try MailComposer.sample().message(for: mail, at: .now)
        mailbox += "From news@example.org Sun Nov 22 08:00:00 2026\n"
        mailbox += message.text.replacing("\r\n", with: "\n") + "\n"
      }
    }
    let folder = try Folder()
    let rules = try Child.run(
      [
        "spamassassin", "--local", "--mbox", "--nocreate-prefs", "--cf=use_bayes 0",
        "--configpath=/usr/share/spamassassin",
      ],
      environment: ["HOME": folder.path], input: mailbox, within: .seconds(300))
    #expect(rules.end == .exit(0), "\(rules.errors)")
    // X-Spam-Status: No, score=-0.0 required=5.0 tests=HTML_MESSAGE,NO_RECEIVED, …
    let statuses = rules.output.split(separator: "X-Spam-Status: ").dropFirst()
    #expect(statuses.count == MailKind.allCases.count * Self.languages.count)
    for status in statuses {
      let score = try #require(status.firstMatch(of: /score=(-?[0-9.]+)/)?.output.1)
      #expect(try #require(Double(score)) <= 0, "\(status.prefix(600))")
      #expect(status.contains("HTML_MESSAGE"), "the rules were applied")
    }
  }
}
