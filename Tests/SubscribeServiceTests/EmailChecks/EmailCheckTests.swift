import EmailAddresses
import HTTPSignals
import MailingList
import TestSupport
import Testing

/// `POST /email-checks`, and the response to a sign-up with an invalid address.
@Suite struct EmailCheckTests {
  private let service = ServiceUnderTest()
  private static let form = "application/x-www-form-urlencoded"

  private func check(_ body: String, as type: String? = "application/json") -> TestResponse {
    service.send(.post(Array(body.utf8), as: type, to: "/email-checks"))
  }

  @Test(arguments: [
    (
      "Ada@Example.org",
      #"{"valid":true,"normalized":"Ada@example.org","reason":null,"detail":null,"suggestion":null,"warnings":[]}"#
    ),
    (
      " info@gmial.com",
      #"{"valid":true,"normalized":"info@gmial.com","reason":null,"detail":null,"suggestion":"info@gmail.com","warnings":["trimmed","typo","roleName"]}"#
    ),
    (
      "ada@@example.org",
      #"{"valid":false,"normalized":null,"reason":"multipleAt","detail":"An address can contain only one @ sign.","suggestion":"ada@example.org","warnings":[]}"#
    ),
    (
      "",
      #"{"valid":false,"normalized":null,"reason":"empty","detail":"Enter an email address.","suggestion":null,"warnings":[]}"#
    ),
  ])
  func `an email check reports everything about an address`(
    typed: String, json: String
  )
    async throws
  {
    let response = check(#"{"email":"\#(typed)"}"#)
    #expect(response.status == 200)
    #expect(response["Content-Type"] == "application/json")
    #expect(response["Cache-Control"] == "no-store")
    #expect(response.text == json)
    #expect(try await service.store.addresses().isEmpty, "a check stores nothing")
  }

  @Test func `an email check reads forms and invalid Unicode`() {
    #expect(check("email=ada%40example.org", as: Self.form).text.contains(#""valid":true"#))
    #expect(check("email=ada%FF%40x.org", as: Self.form).text.contains("invalidUnicode"))
    #expect(check(#"{"email":"\ud800"}"#).text.contains("invalidUnicode"))
    #expect(check("{}").text.contains(#""reason":"empty""#))
  }

  @Test(arguments: [
    ("[]", "application/json", 400), (#"{"email":1}"#, "application/json", 422),
    ("email=ada", "text/plain", 415),
  ])
  func `an email check rejects the same bodies as a sign-up`(
    body: String, type: String, status: Int
  ) {
    #expect(check(body, as: type).status == status)
  }

  @Test func `the response to a rejected sign-up contains a suggestion`() {
    let response = service.signUp("ada@@gmial.com")
    #expect(response.status == 422)
    #expect(response.code == "multipleAt")
    #expect(response.text.contains(#""suggestion":"ada@gmail.com""#))
    #expect(!service.signUp("nobody").text.contains("suggestion"))
  }

  @Test func `a suggestion does not reject a sign-up`() async throws {
    #expect(service.signUp("ada@gmial.com").status == 202)
    #expect(try await service.store.addresses() == ["ada@gmial.com"])
  }

  @Test func `the level test accepts special-use domains`() {
    let test = ServiceUnderTest(level: .test)
    #expect(test.signUp("ada@example.test").status == 202)
    #expect(
      test.send(.post(Array("email=a@b.test".utf8), as: Self.form, to: "/email-checks")).text
        .contains(#""valid":true"#)
    )
    #expect(service.signUp("ada@example.test").code == "specialUseDomain")
  }

  /// Hostile input of browsers, programs or attackers, and the expected reason.
  private static let hostile: [(String, String)] = [
    (String(repeating: "a", count: 12_000) + "@example.org", "tooLong"),
    (#"ada\u0000@example.org"#, "controlCharacter"),
    (#"ada@example.org\r\nBcc: all@example.org"#, "controlCharacter"),
    (#"ada\ud83d@example.org"#, "invalidUnicode"), (#"ada\ufffd@example.org"#, "invalidUnicode"),
    (#"ada\u200b@example.org"#, "invisibleCharacter"),
    (#"ada\u2060@example.org"#, "invisibleCharacter"),
    (#"ada\u202e@example.org"#, "invisibleCharacter"),
    (#"ada@exam\u200dple.org"#, "invisibleCharacter"),
    (#"ada\u2028@example.org"#, "controlCharacter"),
    (#"<script>@example.org"#, "displayName"), (#"ada@example.org\u007f"#, "controlCharacter"),
  ]

  @Test(arguments: hostile)
  func `rejects hostile input with the right reason and never echoes it`(
    typed: String, reason: String
  ) throws {
    var stream = try service.get("/status").stream()
    for path in ["/email-checks", "/subscribers"] {
      let response = service.send(
        .post(Array(#"{"email":"\#(typed)"}"#.utf8), as: "application/json", to: path))
      #expect(response.text.contains("\"\(reason)\""), "\(path)")
      #expect(!response.text.utf8.contains { $0 < 0x20 || $0 >= 0x7F })
      #expect(!response.text.contains("script"))
      #expect(response.fieldsWithoutID.allSatisfy { !$0.contains("ada") })
    }
    #expect(stream.read().isEmpty)
  }
}
