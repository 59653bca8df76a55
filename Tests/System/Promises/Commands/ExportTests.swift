import Foundation
import MailingList
import TestSupport
import Testing

/// Tests of `enlist export`, `enlist count` and `enlist show`.
@Suite struct ExportTests {
  @Test func `export succeeds when its reader closes the pipe early`() throws {
    let service = try Enlist()
    try service.signUp("ana@example.com").expect(202)
    // Standard output is a pipe whose reader ends before the export starts.
    let script = #"exec > >(true); wait $!; exec "$@""#
    let export = try Child.run(
      ["bash", "-c", script, "bash", "enlist", "export"], in: service.folder)
    #expect(export.end == .exit(0), "\(export.errors)")
    #expect(export.output == "")
    #expect(export.errors == "")
  }

  @Test func `export writes one object per line as ndjson`() throws {
    let service = try Enlist()
    try service.signUp("ana@example.com").expect(202)
    let export = try service.run("export", "--format", "ndjson")
    #expect(export.end == .exit(0))
    let line = /\{"id":1,"address":"ana@example\.com","state":.*\n/
    #expect(export.output.wholeMatch(of: line) != nil, "\(export)")
  }

  @Test func `export writes one state, count counts all, and show prints one person`() throws {
    let service = try Enlist(.mail)
    for name in ["ana", "bea", "cleo"] { try service.signUp("\(name)@example.com").expect(202) }
    _ = try service.mails(3)
    try service.post(service.mail(to: "bea@example.com").link("confirm")).expect(200)
    let pending = try service.run("export", "--state", "pending").output
    #expect(pending.contains("ana@example.com") && pending.contains("cleo@example.com"))
    #expect(!pending.contains("bea@example.com"))
    let unknown = try service.run("export", "--state", "left")
    #expect(unknown.end == .exit(64))
    let count = try service.run("count")
    #expect(count.output == "pending 2\nsubscribed 1\nunsubscribed 0\nsuppressed 0\n")
    let shown = try service.run("show", "BEA@example.com")
    #expect(shown.end == .exit(0))
    #expect(shown.output.hasPrefix(#"{"id":2,"address":"bea@example.com","state":"subscribed""#))
    #expect(shown.output.contains(#""kind":"confirmed""#), "\(shown.output)")
    #expect(shown.output.contains(#""mails":{"waiting":[],"last":["20"#), "\(shown.output)")
    #expect(shown.output.split(separator: "\n").count == 1, "\(shown.output)")
    let suppress = try service.run("suppress", "--reason", "complaint", "ana@example.com")
    #expect(suppress.end == .exit(0), "\(suppress.errors)")
    let suppressed = try service.run("show", "ana@example.com").output
    #expect(suppressed.contains(#""reason":"complaint","#), "\(suppressed)")
    let missing = try service.run("show", "dora@example.com", "bea@example.com")
    #expect(missing.end == .exit(1), "\(missing.errors)")
    #expect(missing.output == shown.output)
    #expect(missing.errors == "enlist: 1 address is not on the list\n")
  }

  @Test func `an export says which fields it leaves out, and show leaves out none`() throws {
    let service = try Enlist(["--fields", "name,city"])
    try service.post(
      "/subscribers", json: #"{"email":"ana@example.com","name":"Ana","city":"Bonn"}"#
    ).expect(202)
    for (flags, warning) in [
      ([], "left out city, name: add --fields city,name"),
      (["--fields", "name"], "left out city: add --fields name,city"),
      (["--fields", "name,city"], ""), (["--state", "pending"], ""),
    ] {
      let export = try Child.run(["enlist", "export"] + flags, in: service.folder)
      #expect(export.errors == (warning.isEmpty ? "" : "enlist: warning: \(warning)\n"))
      #expect(export.end == .exit(0))
    }
    for flags in [[], ["--fields", "age"]] {
      let shown = try Child.run(["enlist", "show", "ana@example.com"] + flags, in: service.folder)
      #expect(shown.output.contains(#""city":"Bonn","name":"Ana""#), "\(shown)")
    }
  }

  @Test func `no field has the name of a member that the program writes of a person`() throws {
    let service = try Enlist(.mail)
    try service.signUp("ana@example.com").expect(202)
    let shown = try service.run("show", "ana@example.com").expect(0).output
    let export = try service.run(
      "export", "--format", "ndjson", "--links", "--public-url", "https://list.example.org"
    ).expect(0).output
    // The API has the owner's fields in one member, which an import reads.
    var names: Set = ["fields"]
    for text in [shown, export] {
      let person = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
      names.formUnion(try #require(person).keys)
    }
    #expect(names.isSuperset(of: ["mails", "unsubscribe_url"]), "\(names)")
    let free = names.subtracting(FormField.reservedNames)
    #expect(free.isEmpty, "\(free)")
  }

  @Test func `show needs no secret, and names the times of mails only with it`() throws {
    let secret = ["--secret", String(repeating: "QUFB", count: 11)]
    let service = try Enlist(.mail + secret)
    try service.signUp("ana@example.com").expect(202)
    _ = try service.mails(1)
    for (flags, times) in [([], false), (secret, true)] {
      let shown = try Child.run(["enlist", "show", "ana@example.com"] + flags, in: service.folder)
      #expect(shown.end == .exit(0), "\(shown.errors)")
      #expect(shown.output.contains(#""last":["20"#) == times, "\(shown.output)")
    }
  }

  @Test func `export --consents proves who agreed to what, by which mail`() throws {
    let service = try Enlist(.mail)
    let id = try service.signUp("ana@example.com").expect(202).execution
    let mail = try service.mail(to: "ana@example.com")
    try service.post(mail.link("confirm")).expect(200)
    try service.post(mail.link("unsubscribe")).expect(200)
    let export = try service.run("export", "--consents")
    #expect(export.end == .exit(0), "\(export.errors)")
    #expect(export.output.utf8.count { $0 == 10 } == 1, "\(export.output)")
    let line = try JSONDecoder().decode(PersonLine.self, from: Data(export.output.utf8))
    #expect(line.address == "ana@example.com")
    #expect(line.consents.map(\.kind) == ["requested", "confirmed", "withdrawn"])
    #expect(line.consents.map(\.means) == [nil, "link", "link"])
    #expect(line.consents.first?.id == id)
    #expect(line.consents.dropFirst().map(\.request_id) == [id, id])
    let wording = try #require(line.consents.dropFirst().first?.wording)
    #expect(wording.language == "en")
    #expect(wording.subject.contains("News"))
    // The links of the mail are secrets, so the wording has names in their places.
    #expect(wording.text.contains("{{confirmURL}}"), "\(wording.text)")
  }
}

private struct PersonLine: Decodable {
  struct Consent: Decodable {
    let kind: String
    let means: String?
    let request_id: String?
    let id: String
    let wording: Wording?
  }

  struct Wording: Decodable {
    let language: String
    let subject: String
    let text: String
  }

  let address: String
  let consents: [Consent]
}
