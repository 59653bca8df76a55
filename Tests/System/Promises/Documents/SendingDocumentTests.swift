import Foundation
import TestSupport
import Testing

/// The scripts of `docs/sending.md`: the files for senders, and the way from the export to a relay
/// and back by its links.
@Suite(
  .enabled(
    if: Child.finds("jq") && Child.finds("curl"),
    "jq or curl is not installed: Scripts/bootstrap test"))
struct SendingDocumentTests {
  private let service: Enlist

  init() throws {
    service = try Enlist(["--public-url", "http://localhost"])
    for name in ["ana", "bea", "cleo"] { try service.signUp("\(name)@example.com").expect(202) }
  }

  /// Returns the only script of the document with a text.
  private func script(with text: String) throws -> String {
    let blocks = try Document("docs/sending.md").text.components(separatedBy: "```sh\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
    return try #require(blocks.first { $0.contains(text) })
  }

  /// Sends an issue by the script, and returns the mails that have arrived by recipient.
  private func send(to relay: TestRelay, count: Int) throws -> [String: Mail] {
    try service.folder.write("The tulips are in flower.\n", to: "issue.txt")
    let before = try relay.mails().count
    let run = try DocumentShell(in: service.folder).run(
      try script(with: "--links")
        .replacing("smtp://relay.example.com", with: "smtp://127.0.0.1:\(relay.port)")
        .replacing("https://list.example.org", with: "http://localhost")
    )
    #expect(run.end == .exit(0))
    #expect(run.errors.isEmpty, "\(run.errors)")
    let mails = try relay.mails(before + count).dropFirst(before)
    return Dictionary(uniqueKeysWithValues: mails.map { ($0.recipient, $0) })
  }

  @Test(arguments: [
    (
      "listmonk.csv",
      """
      {"email": "ana@example.com", "name": "", "attributes": "{\\"locale\\":null}"}
      {"email": "bea@example.com", "name": "", "attributes": "{\\"locale\\":null}"}
      {"email": "cleo@example.com", "name": "", "attributes": "{\\"locale\\":null}"}
      {"email": "dora@example.com", "name": "Dora \\"D\\", Jr.", "attributes": "{\\"locale\\":\\"de\\"}"}

      """
    ),
    (
      "buttondown.csv",
      """
      {"email": "ana@example.com", "type": "regular"}
      {"email": "bea@example.com", "type": "regular"}
      {"email": "cleo@example.com", "type": "regular"}
      {"email": "dora@example.com", "type": "regular"}

      """
    ),
  ])
  func `the file for a sender has the columns that it imports`(file: String, rows: String) throws {
    let folder = service.folder
    _ = try service.stop()
    let named = try Enlist(["--fields", "name"], in: folder)
    let dora = #"{"email":"dora@example.com","locale":"de","name":"Dora \"D\", Jr."}"#
    try named.post("/subscribers", json: dora).expect(202)
    try folder.write(
      "import csv, json\nfor row in csv.DictReader(open('\(file)')): print(json.dumps(row))\n",
      to: "read.py")
    let run = try DocumentShell(in: folder).run(
      try script(with: file).replacing("enlist export", with: "enlist export --fields name")
        + "python3 read.py"
    )
    #expect(run.output == rows, "\(run.errors)")
    #expect(run.end == .exit(0), "\(run.errors)")
  }

  @Test(.needsPython)
  func `who uses the link or the button of an issue does not get the next one`() throws {
    let relay = try TestRelay()
    let first = try send(to: relay, count: 3)
    #expect(first.keys.sorted() == ["ana@example.com", "bea@example.com", "cleo@example.com"])
    for mail in first.values {
      #expect(mail.text.contains("The tulips are in flower."), "\(mail.text)")
    }
    // One person opens the link and presses its button; the mail program of another sends the POST.
    let ana = try #require(first["ana@example.com"])
    let path = try ana.link("unsubscribe")
    try service.get(path).expect(200)
    let people = try service.people()
    #expect(people["ana@example.com"] == "subscribed")
    try service.post(path).expect(200)
    let bea = try #require(first["bea@example.com"])
    #expect(bea.fields["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click")
    let header = try #require(bea.fields["List-Unsubscribe"]).link("unsubscribe")
    try service.leaveByOneClick(header).expect(200)
    let second = try send(to: relay, count: 1)
    #expect(second.keys.sorted() == ["cleo@example.com"])
  }

  @Test func `the numbers of people are printed as the document shows them`() throws {
    let service = try Enlist()
    try service.signUp("ana@example.com").expect(202)
    let examples = try Document("docs/sending.md").examples
    #expect(!examples.isEmpty)
    let shell = try DocumentShell(in: service.folder)
    for example in examples {
      let lines = try shell.lines(of: example)
      #expect(example.isShown(by: lines), "\(example.command) printed \(lines)")
    }
  }

  @Test func `links need the URL of the service`() throws {
    let run = try service.run("export", "--links")
    #expect(run.end == .exit(64))
    #expect(run.errors.hasPrefix("enlist: --public-url: --links requires "), "\(run.errors)")
    #expect(run.output.isEmpty)
  }
}
