import TestSupport
import Testing

/// Tests of what the owner of a list chooses: its name on pages, and the fields of its form, from
/// the form to the export, and past each mail.
@Suite struct ListSettingsTests {
  private static let fields = ["--fields", "name*,city"]

  @Test func `the name of the list is on every page and in its title, escaped`() throws {
    let service = try Enlist([String].mail.map { $0 == "News" ? "Herbs & <Roses>" : $0 })
    let accept = ["Accept: text/html"]
    let id = try service.signUp("ana@example.com").expect(202).execution
    let mail = try #require(try service.mails(1).first)
    let (confirm, leave) = (try mail.link("confirm"), try mail.link("unsubscribe"))
    let unknown = "/confirm/\(String(repeating: "A", count: 43))"
    var pages = try [
      "/", "/thanks/\(id)", confirm, leave, "/problems/not-found", "/none", unknown,
    ].map { try service.get($0, fields: accept) }
    pages += try [
      ("/subscribers", "email=ana"), ("/executions/\(id)/code", "code=1"), (confirm, ""),
      (leave, ""),
    ].map { try service.post($0, form: $1, fields: accept) }
    #expect(Set(pages.map(\.status)) == [200, 404, 422])
    for page in pages {
      #expect(page.text.contains(" · Herbs &amp; &lt;Roses&gt;</title>"), "\(page.text)")
      #expect(
        page.text.contains("<header><a href=\"/\">Herbs &amp; &lt;Roses&gt;</a></header>")
          || page.text.contains("<h1>Herbs &amp; &lt;Roses&gt;</h1>"),
        "\(page.text)"
      )
    }
    let page = try Enlist().get("/", fields: accept).text
    #expect(page.contains("<title>Subscribe</title>"), "\(page)")
    #expect(!page.contains("<header>"), "\(page)")
  }

  @Test func `no mail contains a field, and a stranger cannot change those of a subscriber`() throws
  {
    let single = try Enlist(Self.fields)
    try single.signUp("ana@example.com&name=Ana-Q&city=Utopia-Q").expect(202)
    _ = try single.stop()
    let service = try Enlist(.mail + Self.fields, in: single.folder)
    // The mail to a subscriber says that the address is on the list.
    try service.signUp("ana@example.com&name=Stranger-Q&city=Nowhere-Q").expect(202)
    let first = try service.mails(1)
    #expect(first.count == 1)
    try service.signUp("bea@example.com&name=Bea-Q").expect(202)
    let mails = try service.mails(2)
    for mail in mails.map({ $0.replacing("=\n", with: "") }) {
      for value in ["Ana-Q", "Utopia-Q", "Stranger-Q", "Nowhere-Q", "Bea-Q"] {
        #expect(!mail.contains(value), "\(value)")
      }
    }
    let confirmation = try #require(mails.first { $0.contains("/confirm/") })
    try service.post(confirmation.link("confirm")).expect(200)
    let export = try service.run("export", "--fields", "name*,city").output
    let rows = export.split(separator: "\r\n")
    #expect(rows.first?.hasSuffix(",name,city") == true, "\(export)")
    #expect(
      rows.contains { $0.contains("ana@example.com") && $0.hasSuffix(",Ana-Q,Utopia-Q") },
      "\(export)")
    #expect(
      rows.contains { $0.contains("bea@example.com") && $0.hasSuffix(",Bea-Q,") }, "\(export)")
    let consents = try service.run("export", "--consents").output
    #expect(
      consents.contains(#""fields":{"city":"Nowhere-Q","name":"Stranger-Q"}"#), "\(consents)")
  }

  @Test func `with single opt-in, a subscriber keeps the fields of the first sign-up`() throws {
    let service = try Enlist(Self.fields)
    try service.signUp("ana@example.com&name=Ana").expect(202)
    try service.signUp("ana@example.com&name=Stranger&city=Nowhere").expect(202)
    let export = try service.run(
      "export", "--format", "ndjson", environment: ["ENLIST_FIELDS": "name*,city"]
    ).output
    #expect(export.hasSuffix(#""name":"Ana","city":null}"# + "\n"), "\(export)")
  }
}
