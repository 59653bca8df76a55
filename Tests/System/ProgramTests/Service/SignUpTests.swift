import TestSupport
import Testing

/// Tests of `POST /subscribers` and its events on the public stream.
@Suite struct SignUpTests {
  @Test(
    arguments: [
      ("application/x-www-form-urlencoded", "email=ana%40example.com"),
      ("application/x-www-form-urlencoded; charset=utf-8", "x=y&email=ana@example.com"),
      ("application/json", #"{"email":"ana@example.com"}"#),
      ("application/json", #"{"email":"ana\u0040example.com","locale":"de","other":[1]}"#),
    ]
  )
  func `a sign-up is accepted, and the public stream shows it anonymized`(
    _ mediaType: String, _ body: String
  ) throws {
    let service = try RunningService()
    let stream = try service.stream()
    let fields = ["Content-Type: \(mediaType)"]
    let response = try service.request("POST", "/subscribers", fields: fields, body: body)
    #expect(response.status == 202)
    #expect(response["Content-Type"] == "application/json")
    #expect(response["Cache-Control"] == "no-store")
    let id = try response.execution()
    #expect(id.utf8.count >= 26)
    let path = "/executions/\(id)"
    #expect(response["Link"] == #"<\#(path)/events>; rel="monitor"; type="text/event-stream""#)
    #expect(
      response.text == #"{"execution":{"id":"\#(id)","state":"completed","message":"Thanks"}}"#)

    let started = try #require(try stream.readEvent())
    let completed = try #require(try stream.readEvent())
    let ids = [started, completed].compactMap(\.id)
    #expect(ids.count == 2)
    #expect(ids.allSatisfy { $0.wholeMatch(of: /[a-z0-9]{8}-\d+/) != nil })
    #expect(started.lines.map { $0.prefix { $0 != ":" } } == ["id", "event", "data"])
    #expect(started.event == "started")
    #expect(started.says(message: "Sending request...", state: "executing"))
    #expect(completed.event == "completed")
    #expect(completed.says(message: "Thanks", state: "completed"))
    for line in started.lines + completed.lines {
      #expect(!line.contains("ana"))
      #expect(!line.contains(id))
    }
    #expect(try service.exportedAddresses() == ["ana@example.com"])
  }

  @Test(
    arguments: [
      ("nobody", "missingAt"), ("", "empty"), ("a@b", "singleLabelDomain"),
      ("a@b@example.com", "multipleAt"),
    ]
  )
  func `an invalid address is rejected with a reason`(_ typed: String, _ code: String) throws {
    let service = try RunningService()
    let response = try service.signUp(typed)
    #expect(response.status == 422)
    #expect(response["Content-Type"] == "application/problem+json")
    #expect(response.text.contains(#""type":"/problems/invalid-email""#))
    #expect(response.text.contains(#""pointer":"/email","code":"\#(code)""#))
    if !typed.isEmpty { #expect(!response.text.contains(typed)) }
    #expect(try service.exportedAddresses().isEmpty)
  }

  @Test(
    arguments: [
      ("POST", "/subscribers", "text/plain", "email=a@example.com", 415, "unsupported-media-type"),
      ("POST", "/subscribers", "application/json", "[1]", 400, "malformed-body"),
      ("POST", "/nowhere", "application/json", "{}", 404, "not-found"),
      ("PUT", "/subscribers", "application/json", "{}", 405, "method-not-allowed"),
      ("GET", "/executions/none", "", nil, 404, "not-found"),
      ("GET", "/status%00x", "", nil, 404, "not-found"),
      ("DELETE", "/status", "", nil, 405, "method-not-allowed"),
    ] as [(String, String, String, String?, Int, String)]
  )
  func `a request that cannot be fulfilled gets a problem with a type`(
    _ method: String, _ path: String, _ mediaType: String, _ body: String?, _ status: Int,
    _ problem: String
  ) throws {
    let service = try RunningService()
    let fields = body == nil ? [] : ["Content-Type: \(mediaType)"]
    let response = try service.request(method, path, fields: fields, body: body)
    #expect(response.status == status)
    #expect(response["Content-Type"] == "application/problem+json")
    #expect(response.text.contains(#""type":"/problems/\#(problem)""#))
    #expect((response["Allow"] != nil) == (status == 405))
    #expect((response["Accept-Post"] != nil) == (status == 415))
  }

  @Test func `a body beyond the limit is rejected and its connection closed`() throws {
    let service = try RunningService(["--max-body", "1KiB"])
    let client = try service.connect()
    try client.request("POST", "/subscribers", fields: ["Content-Length: 1025"])
    let response = try client.readResponse()
    #expect(response.status == 413)
    #expect(response["Content-Type"] == "application/problem+json")
    #expect(try client.readToEnd().isEmpty)
    #expect(try service.signUp("ana@example.com").status == 202)
  }

  @Test func `both export formats contain a stored sign-up`() throws {
    let service = try RunningService()
    let body = #"{"email":"=ana@example.com","locale":"de"}"#
    let fields = ["Content-Type: application/json"]
    #expect(try service.request("POST", "/subscribers", fields: fields, body: body).status == 202)
    let csv = try ChildProcess("enlist", ["export"], in: service.folder)
    let lines = String(decoding: try csv.readOutput(), as: UTF8.self).split(separator: "\r\n")
    #expect(lines.first == "id,address,state,locale,created_at,confirmed_at,unsubscribed_at,reason")
    #expect(lines.last?.hasPrefix("1,'=ana@example.com,subscribed,de,2") == true)
    #expect(lines.count == 2)
    let json = try ChildProcess("enlist", ["export", "--format", "ndjson"], in: service.folder)
    let line = try json.readLine()
    #expect(line?.hasPrefix(#"{"id":1,"address":"=ana@example.com","#) == true)
    #expect(try json.readLine() == nil)
    #expect(try service.storedCounts() == (1, 1))
  }
}

extension EventBlock {
  /// Returns whether the data consists of a message, a state and a time.
  fileprivate func says(message: String, state: String) -> Bool {
    guard let data else { return false }
    return data.hasPrefix(#"{"message":"\#(message)","state":"\#(state)","at":""#)
      && data.contains(/"at":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"}$/)
  }
}
