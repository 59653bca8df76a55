import Foundation
import TestSupport
import Testing

/// The script of `docs/sending.md`, from the export to a relay, and back by its links.
@Suite(
  .timeLimit(.minutes(15)),
  .enabled(
    if: Program.isThere("jq") && Program.isThere("curl"),
    "jq or curl is not installed: Scripts/bootstrap test"
  )
)
struct SendingDocumentTests {
  private let service: RunningService

  init() throws {
    service = try RunningService(["--public-url", "http://localhost"])
    for name in ["ana", "bea", "cleo"] {
      #expect(try service.signUp("\(name)@example.com").status == 202)
    }
  }

  /// Sends an issue by the script, and returns the mails that have arrived by recipient.
  private func send(to relay: MailRelay, count: Int) throws -> [String: ReceivedMail] {
    let text = try Document("docs/sending.md").text
    let blocks = text.components(separatedBy: "```sh\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
    let script = try #require(blocks.first { $0.contains("--links") })
    try service.folder.write("The tulips are in flower.\n", to: "issue.txt")
    let before = try relay.mails().count
    let run = try DocumentShell(folder: service.folder).start(
      script.replacing("smtp://relay.example.com", with: "smtp://127.0.0.1:\(relay.port)")
        .replacing("https://list.example.org", with: "http://localhost")
    )
    #expect(try run.wait() == .exit(0))
    #expect(run.standardError.isEmpty)
    let mails = try relay.waitForMails(before + count).dropFirst(before)
    return Dictionary(uniqueKeysWithValues: mails.map { ($0.recipient, $0) })
  }

  @Test func `who uses the link or the button of an issue does not get the next one`() throws {
    let relay = try MailRelay()
    let first = try send(to: relay, count: 3)
    #expect(first.keys.sorted() == ["ana@example.com", "bea@example.com", "cleo@example.com"])
    for mail in first.values { #expect(mail.text.contains("The tulips are in flower.")) }
    // One person opens the link and presses its button; the mail program of another sends the POST.
    let ana = try #require(first["ana@example.com"])
    let path = try ana.link("unsubscribe")
    #expect(try service.request("GET", path).status == 200)
    #expect(try service.exportedStates()["ana@example.com"] == "subscribed")
    #expect(try service.request("POST", path, body: "").status == 200)
    let bea = try #require(first["bea@example.com"])
    #expect(bea.fields["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click")
    let header = try #require(bea.fields["List-Unsubscribe"]).firstLink("unsubscribe")
    #expect(try service.leaveByOneClick(header).status == 200)
    #expect(try send(to: relay, count: 1).keys.sorted() == ["cleo@example.com"])
  }

  @Test func `links need the URL of the service`() throws {
    let run = try CommandRun(["export", "--links"], in: service.folder)
    #expect(run.end == .exit(64))
    #expect(run.errors.hasPrefix("enlist: --public-url: --links requires "))
    #expect(run.output.isEmpty)
  }
}
