import Foundation
import TestSupport
import Testing

@Suite struct ExportConsentsTests {
  private struct Line: Decodable {
    struct Consent: Decodable {
      struct Wording: Decodable {
        let language: String
        let subject: String
        let text: String
      }

      let kind: String
      let means: String?
      let request_id: String?
      let id: String
      let wording: Wording?
    }

    let address: String
    let consents: [Consent]
  }

  @Test func `export --consents proves who agreed to what, by which mail`() throws {
    let service = try RunningService(RunningService.mailFlags)
    let id = try service.signUp("ana@example.com").execution()
    let mail = try #require(try service.waitForMails(1).first)
    #expect(try service.request("POST", try mail.firstLink("confirm"), body: "").status == 200)
    #expect(try service.request("POST", try mail.firstLink("unsubscribe"), body: "").status == 200)
    let export = try ChildProcess("enlist", ["export", "--consents"], in: service.folder)
    let text = try #require(try export.readLine())
    #expect(try export.readLine() == nil)
    #expect(try export.wait() == .exit(0))
    let line = try JSONDecoder().decode(Line.self, from: Data(text.utf8))
    #expect(line.address == "ana@example.com")
    #expect(line.consents.map(\.kind) == ["requested", "confirmed", "withdrawn"])
    #expect(line.consents.map(\.means) == [nil, "link", "link"])
    #expect(line.consents.first?.id == id)
    #expect(line.consents.dropFirst().allSatisfy { $0.request_id == id })
    let wording = try #require(line.consents.dropFirst().first?.wording)
    #expect(wording.language == "en")
    #expect(wording.subject.contains("News"))
    // The links of the mail are secrets, so the wording has names in their places.
    #expect(wording.text.contains("{{confirmURL}}"))
  }
}
