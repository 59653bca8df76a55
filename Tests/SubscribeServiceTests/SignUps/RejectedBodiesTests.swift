import HTTPSignals
import HTTPTypes
import MailingList
import TestSupport
import Testing

/// Bodies that are rejected before the list is used.
@Suite struct RejectedBodiesTests {
  private let service = ServiceUnderTest()
  private static let form = "application/x-www-form-urlencoded"

  @Test(
    arguments: [
      "{}", #"{"email":null}"#, #"{"email":""}"#, #"{"email":" \t "}"#,
      #"{"Email":"ada@example.org"}"#,
    ]
  )
  func `treats a missing address as empty`(body: String) {
    let response = service.post(body)
    #expect(response.status == 422)
    #expect(response.problem == "invalid-email")
    #expect(response.code == "empty")
  }

  @Test(arguments: ["", "email", "email=", "mail=ada@example.org", "email=+%09"])
  func `treats a missing address in a form as empty`(body: String) {
    #expect(service.post(body, as: Self.form).code == "empty")
  }

  @Test func `reports the reason an address is invalid without repeating the address`() {
    let response = service.signUp("nobody-knows")
    #expect(response.status == 422)
    #expect(response.fieldsWithoutID.contains("content-type: application/problem+json"))
    #expect(
      response.text == """
        {"type":"/problems/invalid-email","title":"Invalid email address","status":422,\
        "detail":"An address needs an @ sign.","instance":"/subscribers","errors":[\
        {"pointer":"/email","code":"missingAt","detail":"An address needs an @ sign."}]}
        """
    )
    #expect(response["Location"] == nil)
  }

  @Test(
    arguments: [
      Array(#"{"email":"ada\ud800@example.org"}"#.utf8),
      Array(#"{"email":"\#u{FFFD}@example.org"}"#.utf8),
      Array(#"{"email":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8),
    ]
  )
  func `reports invalid Unicode in an address`(body: [UInt8]) {
    let response = service.send(.post(body, as: "application/json"))
    #expect(response.status == 422)
    #expect(response.problem == "invalid-email")
    #expect(response.code == "invalidUnicode")
  }

  @Test func `reports invalid Unicode in a form's address`() {
    let response = service.post("email=ada%FF%40example.org", as: Self.form)
    #expect([response.problem, response.code] == ["invalid-email", "invalidUnicode"])
  }

  @Test(
    arguments: [
      ("email", "1"), ("email", "[]"), ("locale", "1"), ("consent", "{}"),
      ("consent", "true"), ("next", "7"),
    ]
  )
  func `rejects a field of the wrong type`(field: String, value: String) {
    let other = field == "email" ? "x" : "email"
    let response = service.post(#"{"\#(other)":"ada@example.org","\#(field)":\#(value)}"#)
    #expect(response.status == 422)
    #expect(response.problem == "invalid-field")
    #expect(response.text.contains(#""pointer":"/\#(field)""#))
  }

  @Test(
    arguments: [
      ("de", 202), ("de-AT", 202), ("zh-Hant-TW", 202), ("sl-rozaj-biske-1994", 202),
      ("x-private", 202), ("i-klingon", 202), ("EN", 202), ("", 422), ("-", 422), ("de-", 422),
      ("-de", 422), ("de_AT", 422), ("de--AT", 422), ("d3", 422), ("english-speaker", 202),
      ("toolongtag", 422), ("de-toolongtag", 422), ("dé", 422), ("de AT", 422),
      ("de\\n", 422), ("\\u0000", 422),
      ("a-b-c-d-e-f-g-h", 202), ("a-b-c-d-e-f-g-h-i", 422),
      ("en-a-bbb-cccccccc-dddddddd-eeeeeeee-f", 422),
    ]
  )
  func `validates the form of a locale`(locale: String, status: Int) {
    let response = service.post(#"{"email":"ada@example.org","locale":"\#(locale)"}"#)
    #expect(response.status == status)
    #expect(response.problem == (status == 422 ? "invalid-field" : nil))
  }

  @Test(arguments: ["consent", "next"])
  func `rejects a stored or returned text of more than 2,048 bytes`(field: String) async throws {
    func post(_ text: String) -> TestResponse {
      service.post(#"{"email":"ada@example.org","\#(field)":"\#(text)"}"#)
    }
    // The limit is in bytes, not in characters.
    for long in [String(repeating: "a", count: 2049), String(repeating: "é", count: 1025)] {
      let response = post(long)
      #expect(response.status == 422)
      #expect(response.problem == "invalid-field")
      #expect(response.text.contains(#""pointer":"/\#(field)""#))
    }
    #expect(try await service.store.addresses().isEmpty)
    #expect(post(String(repeating: "é", count: 1024)).status == 202)
  }

  @Test(
    arguments: [
      "", "email=ada@example.org", "[]", "null", #""ada@example.org""#, "{", "{}}",
      #"{"email":"ada@example.org",}"#, #"{"email":"ada@example.org","email":"bea@example.org"}"#,
      #"{"email":"ada@example.org","x":"\ud800"}"#,
      #"{"email":"ada@example.org","locale":"\udfff"}"#,
      #"{"email":"ada@example.org","consent":"\udfff"}"#,
      #"{"email":"ada@example.org","x":["\ud800"]}"#,
      #"{"email":"\ud800","x":"\ud800"}"#,
    ]
  )
  func `rejects malformed JSON`(body: String) async throws {
    let response = service.post(body)
    #expect(response.status == 400)
    #expect(response.problem == "malformed-body")
    #expect(try await service.store.addresses().isEmpty)
  }

  @Test(
    arguments: [
      "email=a%40example.org&email=b%40example.org", "email=%", "email=%4", "email=a%zz",
      "email=a%40example.org&x=%FF", "email=a%40example.org&consent=%C3", "%FF=1",
      "email=a%40example.org&locale=de&locale=fr",
    ]
  )
  func `rejects a malformed form`(body: String) {
    let response = service.post(body, as: Self.form)
    #expect(response.status == 400)
    #expect(response.problem == "malformed-body")
  }

  @Test(
    arguments: [
      nil, "text/plain", "application/json; charset=latin1", "multipart/mixed",
    ] as [String?]
  )
  func `lists the supported media types when it rejects another one`(type: String?) {
    let response = service.post(#"{"email":"ada@example.org"}"#, as: type)
    #expect(response.status == 415)
    #expect(response.problem == "unsupported-media-type")
    #expect(
      response["Accept-Post"]
        == "application/json, application/x-www-form-urlencoded, multipart/form-data"
    )
  }
}
