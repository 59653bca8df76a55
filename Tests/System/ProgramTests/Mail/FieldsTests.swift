import TestSupport
import Testing

/// The owner's fields, from the form to the export, and past each mail.
@Suite struct FieldsTests {
  private static let fields = ["--fields", "name*,city"]

  private func signUp(_ values: String, at service: RunningService) throws {
    let response = try service.request(
      "POST", "/subscribers", fields: ["Content-Type: application/x-www-form-urlencoded"],
      body: values)
    #expect(response.status == 202)
  }

  @Test func `no mail contains a field, and a stranger cannot change those of a subscriber`() throws
  {
    let single = try RunningService(Self.fields)
    try signUp("email=ana@example.com&name=Ana-Q&city=Utopia-Q", at: single)
    _ = try single.endAndReadLog()
    let service = try RunningService(RunningService.mailFlags + Self.fields, in: single.folder)
    // The mail to a subscriber says that the address is on the list.
    try signUp("email=ana@example.com&name=Stranger-Q&city=Nowhere-Q", at: service)
    #expect(try service.waitForMails(1).count == 1)
    try signUp("email=bea@example.com&name=Bea-Q", at: service)
    let mails = try service.waitForMails(2)
    for mail in mails.map({ $0.replacing("=\n", with: "") }) {
      for value in ["Ana-Q", "Utopia-Q", "Stranger-Q", "Nowhere-Q", "Bea-Q"] {
        #expect(!mail.contains(value))
      }
    }
    let confirmation = try #require(mails.first { $0.contains("/confirm/") })
    let link = try confirmation.firstLink("confirm")
    #expect(try service.request("POST", link, body: "").status == 200)
    let export = try CommandRun(["export"] + Self.fields, in: service.folder).output
    let rows = export.split(separator: "\r\n")
    #expect(rows.first?.hasSuffix(",name,city") == true)
    #expect(rows.contains { $0.contains("ana@example.com") && $0.hasSuffix(",Ana-Q,Utopia-Q") })
    #expect(rows.contains { $0.contains("bea@example.com") && $0.hasSuffix(",Bea-Q,") })
    let consents = try CommandRun(["export", "--consents"], in: service.folder).output
    #expect(consents.contains(#""fields":{"city":"Nowhere-Q","name":"Stranger-Q"}"#))
  }

  @Test func `with single opt-in, a subscriber keeps the fields of the first sign-up`() throws {
    let service = try RunningService(Self.fields)
    try signUp("email=ana@example.com&name=Ana", at: service)
    try signUp("email=ana@example.com&name=Stranger&city=Nowhere", at: service)
    let export = try CommandRun(
      ["export", "--format", "ndjson"], environment: ["ENLIST_FIELDS": "name*,city"],
      in: service.folder)
    #expect(export.output.hasSuffix(#""name":"Ana","city":null}"# + "\n"))
  }
}
