import HTTPSignals
import HTTPTypes
import MailingList
import Security
import Services
import TestSupport
import Testing

/// `POST /executions/{id}/code`.
@Suite struct CodeTests {
  private static let email = "ada@example.org"

  private let service = DoubleOptInService(
    allowedOrigins: AllowedOrigins("https://site.example") ?? .none)

  private func signUp() throws -> (id: String, mail: ControlledStore.Mail) {
    let id = try #require(service.service.signUp(Self.email).id)
    service.clock.advance(seconds: 1)
    return (id, service.members.mail(Self.email, at: service.clock.now))
  }

  private func triesLeft(_ response: TestResponse) -> Int? {
    response.text.split(separator: "\"triesLeft\":", maxSplits: 1).dropFirst().first
      .flatMap { Int($0.prefix { $0.isNumber }) }
  }

  @Test(arguments: ["json", "form", "multipart"])
  func `the right code confirms, however it is sent`(format: String) throws {
    let (id, mail) = try signUp()
    let code = mail.code.digits
    let (body, type) =
      switch format {
      case "json": (#"{"code":"\#(code)"}"#, "application/json")
      case "form": ("code=\(code.prefix(3))+\(code.suffix(3))", "application/x-www-form-urlencoded")
      default:
        (
          "--b\r\nContent-Disposition: form-data; name=\"code\"\r\n\r\n\(code)\r\n--b--",
          "multipart/form-data; boundary=b"
        )
      }
    let path = "/executions/\(id)/code"
    let response = service.send(.post, path, isBrowser: false, body: body, as: type)
    #expect(response.status == 200)
    #expect(response.text == #"{"state":"subscribed"}"#)
    #expect(service.members.membership(Self.email)?.state == .subscribed)
  }

  @Test func `the right code can be repeated`() throws {
    let (id, mail) = try signUp()
    // The store counts every try, also that of the right code.
    for _ in 0..<5 { #expect(service.type(mail.code.digits, for: id).status == 200) }
  }

  @Test func `five codes may be tried, then every code is wrong`() throws {
    let (id, mail) = try signUp()
    for left in (0..<5).reversed() {
      let response = service.type(mail.wrongCode, for: id)
      #expect(response.status == 422)
      #expect(response.problem == "wrong-code")
      #expect(triesLeft(response) == left)
      #expect(response.text.contains(#""pointer":"/code","code":"wrong-code""#))
    }
    for code in [mail.wrongCode, mail.code.digits] {
      let response = service.type(code, for: id)
      #expect(response.problem == "wrong-code")
      #expect(triesLeft(response) == 0)
    }
    // Only the store compares a code.
    #expect(service.members.takeCalls().count { $0 == "change" } == 5)
    #expect(service.members.membership(Self.email)?.state == .pending)
    #expect(service.send(.post, "/confirm/\(mail.confirm.text)").status == 200)
  }

  @Test func `the right code is accepted as the fifth`() throws {
    let (id, mail) = try signUp()
    for _ in 0..<4 { service.type(mail.wrongCode, for: id) }
    #expect(service.type(mail.code.digits, for: id).status == 200)
  }

  @Test func `tries are counted for each execution`() throws {
    let (first, mail) = try signUp()
    for _ in 0..<5 { service.type(mail.wrongCode, for: first) }
    let second = try #require(service.service.signUp(Self.email).id)
    #expect(triesLeft(service.type(mail.wrongCode, for: second)) == 4)
  }

  @Test func `a code has the same response in every list state`() throws {
    var responses: Set<[String]> = []
    for state in ListState.allCases {
      let service = DoubleOptInService()
      if let membership = state.membership(before: service.clock.now) {
        service.members.set(membership, of: Self.email)
      }
      let id = try #require(service.service.signUp(Self.email).id)
      var bodies: [String] = []
      for code in ["123456", "12345", "000000"] {
        for isBrowser in [false, true] {
          let response = service.send(
            .post, "/executions/\(id)/code", isBrowser: isBrowser, body: "code=\(code)",
            as: "application/x-www-form-urlencoded")
          #expect(response.status == 422, "\(state)")
          bodies += response.fieldsWithoutID + [response.text.replacing(id, with: "ID")]
        }
      }
      responses.insert(bodies + service.members.takeCalls())
    }
    #expect(responses.count == 1)
  }

  @Test(arguments: [
    (#"{"code":"12345"}"#, "invalid-field"), (#"{"code":"1234567"}"#, "invalid-field"),
    (#"{"code":"12345x"}"#, "invalid-field"), (#"{"code":123456}"#, "invalid-field"),
    (#"{}"#, "invalid-field"), (#"{"code":""}"#, "invalid-field"),
    (#"{"code":"\ud800"}"#, "invalid-field"), (#"{"code":"x","name":"\ud800"}"#, "invalid-field"),
    ("[]", "malformed-body"),
    (#"{"code":"123456","code":"123456"}"#, "malformed-body"),
  ])
  func `rejects what is not a code, without counting a try`(body: String, problem: String) throws {
    let (id, mail) = try signUp()
    for _ in 0..<6 {
      let response = service.send(
        .post, "/executions/\(id)/code", isBrowser: false, body: body, as: "application/json")
      #expect(response.problem == problem)
      if problem == "invalid-field" {
        #expect(response.status == 422)
        #expect(response.text.contains(#""pointer":"/code""#))
      }
    }
    #expect(triesLeft(service.type(mail.wrongCode, for: id)) == 4)
  }

  @Test func `rejects other media types, and pages of other sites`() throws {
    let (id, mail) = try signUp()
    let path = "/executions/\(id)/code"
    let plain = service.send(.post, path, isBrowser: false, body: "123456", as: "text/plain")
    #expect(plain.status == 415)
    #expect(plain["Accept-Post"] != nil)
    #expect(service.send(.post, path, isBrowser: false).status == 415)
    let body = #"{"code":"\#(mail.code.digits)"}"#
    func send(from origin: String) -> TestResponse {
      service.send(
        .post, path, isBrowser: false, body: body, as: "application/json",
        fields: ["Origin": origin])
    }
    #expect(send(from: "https://evil.example").problem == "origin-not-allowed")
    let allowed = send(from: "https://site.example")
    #expect(allowed.status == 200)
    #expect(allowed["Access-Control-Allow-Origin"] == "https://site.example")
  }

  @Test func `an execution is unknown if it never was, and a day after its sign-up`() throws {
    let unknown = String(repeating: "0", count: 36)
    #expect(service.type("123456", for: unknown).problem == "not-found")
    #expect(service.type("123456", for: "x").problem == "not-found")
    let (id, mail) = try signUp()
    let recent = id.prefix(10) + String(repeating: "0", count: 26)
    for _ in 0..<10 { #expect(service.type("123456", for: String(recent)).status == 404) }
    service.clock.advance(seconds: 86_400 - 2)
    #expect(service.type(mail.wrongCode, for: id).status == 422)
    service.clock.advance(seconds: 2)
    #expect(service.type(mail.code.digits, for: id).problem == "not-found")
  }

  @Test func `a storage failure counts no try`() throws {
    let (id, mail) = try signUp()
    service.members.failure = .full
    for _ in 0..<6 { #expect(service.type(mail.wrongCode, for: id).status == 503) }
    service.members.failure = nil
    #expect(triesLeft(service.type(mail.wrongCode, for: id)) == 4)
  }

  @Test func `a browser without script gets the form again, and then the end`() throws {
    let (id, mail) = try signUp()
    func send(_ code: String) -> TestResponse {
      service.send(
        .post, "/executions/\(id)/code", body: "code=\(code)",
        as: "application/x-www-form-urlencoded")
    }
    let rejection = send(mail.wrongCode)
    #expect(rejection.status == 422)
    #expect(rejection.text.contains("You can try 4 more times."))
    #expect(rejection.text.contains("<form method=\"post\" action=\"/executions/\(id)/code\""))
    #expect(rejection.text.contains("<title>Error: Check your email"))
    #expect(rejection.text.contains("aria-invalid=\"true\" autofocus>"))
    #expect(send("12").text.contains("Enter the six digits of the code."))
    let end = send(mail.code.digits)
    #expect(end.status == 200)
    #expect(end.text.contains(#"data-state="confirmed">Confirmed ✓</span>"#))
    #expect(end.text.contains("<title>Confirmed ✓"))
    #expect(!end.text.contains("<form"))
  }

  @Test func `there are no codes if mails have none, or opt-in is single`() throws {
    let members = ControlledStore(optIn: .double)
    let without = DoubleOptInService(members: members, sendsCode: false)
    let id = try #require(without.service.signUp(Self.email).id)
    #expect(without.type("123456", for: id).status == 404)
    let single = DoubleOptInService(members: members, optIn: .single)
    #expect(single.type("123456", for: id).status == 404)
    #expect(!members.takeCalls().contains("change"))
  }
}
