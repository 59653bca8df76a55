import Dispatch
import Glibc
import Signals
import TestSupport
import Testing

/// Tests of `POST /subscribers`: what is stored, once, and what the public stream shows of it.
@Suite struct SignUpTests {
  @Test func `a sign-up is accepted, and the public stream shows it anonymized`() throws {
    let service = try Enlist()
    let stream = try service.stream()
    let form = "application/x-www-form-urlencoded"
    let names = ["anabelle", "benjamin", "christine", "dominique"]
    for (type, body) in [
      (form, "email=anabelle%40example.com"),
      ("\(form); charset=utf-8", "x=y&email=benjamin@example.com"),
      ("application/json", #"{"email":"christine@example.com"}"#),
      ("application/json", #"{"email":"dominique\u0040example.com","locale":"de","other":[1]}"#),
    ] {
      let fields = ["Content-Type: \(type)"]
      let response = try service.send("POST", "/subscribers", fields: fields, body: body)
        .expect(202)
      #expect(response["Content-Type"] == "application/json")
      #expect(response["Cache-Control"] == "no-store")
      let id = response.execution
      #expect(id.utf8.count >= 26)
      let path = "/executions/\(id)"
      #expect(response["Link"] == #"<\#(path)/events>; rel="monitor"; type="text/event-stream""#)
      #expect(
        response.text == #"{"execution":{"id":"\#(id)","state":"completed","message":"Thanks"}}"#)

      let started = try #require(try stream.readEvent())
      let completed = try #require(try stream.readEvent())
      let ids = [started, completed].compactMap(\.id)
      #expect(ids.count == 2)
      #expect(ids.allSatisfy { $0.wholeMatch(of: /[a-z0-9]{8}-\d+/) != nil }, "\(ids)")
      #expect(started.lines.map { $0.prefix { $0 != ":" } } == ["id", "event", "data"])
      #expect(started.event == "started")
      #expect(started.says(message: "Sending request...", state: "executing"), "\(started)")
      #expect(completed.event == "completed")
      #expect(completed.says(message: "Thanks", state: "completed"), "\(completed)")
      for line in started.lines + completed.lines {
        for secret in names + [id] { #expect(!line.contains(secret)) }
      }
    }
    let addresses = try service.addresses()
    #expect(addresses == names.map { "\($0)@example.com" })
  }

  @Test func `both export formats contain a stored sign-up`() throws {
    let service = try Enlist()
    let body = #"{"email":"=ana@example.com","locale":"de"}"#
    try service.post("/subscribers", json: body).expect(202)
    let lines = try service.run("export").output.split(separator: "\r\n")
    #expect(lines.first == "id,address,state,locale,created_at,confirmed_at,unsubscribed_at,reason")
    #expect(lines.last?.hasPrefix("1,'=ana@example.com,subscribed,de,2") == true, "\(lines)")
    #expect(lines.count == 2)
    let objects = try service.run("export", "--format", "ndjson").output.split(separator: "\n")
    #expect(objects.first?.hasPrefix(#"{"id":1,"address":"=ana@example.com","#) == true)
    #expect(objects.count == 1)
    let counts = try service.storedCounts()
    #expect(counts == (1, 1))
  }

  // MARK: One command for an address

  @Test func `twenty simultaneous posts of one address store one row`() throws {
    let service = try Enlist()
    let responses = try posts(of: Array(repeating: "ana@example.com", count: 20), to: service)
    #expect(responses.contains { $0.status == 202 })
    for response in responses where response.status != 202 { expectConflict(response) }
    let addresses = try service.addresses()
    #expect(addresses == ["ana@example.com"])
  }

  @Test func `posts of different addresses do not wait for each other`() throws {
    let service = try Enlist()
    let addresses = (1...20).map { "a\($0)@example.com" }
    for response in try posts(of: addresses, to: service) { response.expect(202) }
    let stored = try service.addresses()
    #expect(Set(stored) == Set(addresses))
    let counts = try service.storedCounts()
    #expect(counts == (20, 20))
  }

  @Test func `other posts of an address are rejected while one is being stored`() throws {
    let service = try Enlist(["--database-timeout", "60s"])
    let stream = try service.stream()
    let lock = try StolenLock(of: service)
    let first = try service.connect()
    try first.sendSignUp(of: "ana@example.com")
    #expect(try stream.readEvent()?.event == "started")
    // This includes other spellings, because the key of the address is compared.
    for address in ["ana@example.com", "ana@EXAMPLE.com"] {
      for response in try posts(of: Array(repeating: address, count: 10), to: service) {
        expectConflict(response)
      }
    }
    let other = try service.connect()
    try other.sendSignUp(of: "bob@example.com")
    #expect(try stream.readEvent()?.event == "started")

    try lock.giveBack()
    try first.readResponse().expect(202)
    try other.readResponse().expect(202)
    let events = try stream.readEventNames(2)
    #expect(events == ["completed", "completed"])
    try service.signUp("ana@example.com").expect(202)
    let counts = try service.storedCounts()
    #expect(counts == (2, 3))
  }

  @Test func `with one command for the service, sign-ups execute one at a time`() throws {
    let service = try Enlist(["--command-scope", "service", "--database-timeout", "60s"])
    let stream = try service.stream()
    let lock = try StolenLock(of: service)
    let first = try service.connect()
    try first.sendSignUp(of: "ana@example.com")
    #expect(try stream.readEvent()?.event == "started")
    expectConflict(try service.signUp("bob@example.com"))
    try lock.giveBack()
    try first.readResponse().expect(202)
    try service.signUp("bob@example.com").expect(202)
  }

  private func expectConflict(_ response: Client.Response) {
    response.expect(409, "already-executing")
    #expect(response["Retry-After"] == "1")
    #expect(response["Location"] == nil)
  }

  /// Sends all posts before it reads the first response.
  private func posts(of addresses: [String], to service: Enlist) throws -> [Client.Response] {
    let clients = try addresses.map { _ in try service.connect() }
    for (client, address) in zip(clients, addresses) { try client.sendSignUp(of: address) }
    return try clients.map { try $0.readResponse(to: "POST") }
  }

  // MARK: --check-deliverability

  @Test func `a domain that does not accept mail fails the execution before it is stored`() throws {
    let server = try DNSTestServer([
      "here.org": .records([.mx(10, "mx.here.org")]), "gmial.com": .records([.mx(0, "")]),
    ])
    let service = try serviceAsking(server)
    let status = try service.stream()

    let rejected = try service.signUp("ana@gmial.com").expect(422)
    #expect(rejected.text.contains(#""code":"undeliverable""#), "\(rejected)")
    #expect(rejected.text.contains(#""suggestion":"ana@gmail.com""#), "\(rejected)")
    let missing = try service.signUp("ana@missing.org")
    #expect(missing.text.contains("That domain does not exist."), "\(missing)")
    try service.signUp("ana@here.org").expect(202)

    let events = try status.readEventNames(6)
    #expect(events == ["started", "failed", "started", "failed", "started", "completed"])
    let addresses = try service.addresses()
    #expect(addresses == ["ana@here.org"])
  }

  @Test func `an inconclusive DNS answer does not reject a sign-up`() throws {
    let server = try DNSTestServer(["broken.org": .failure])
    let service = try serviceAsking(server)
    try service.signUp("ana@broken.org").expect(202)
    let addresses = try service.addresses()
    #expect(addresses == ["ana@broken.org"])
  }

  @Test func `invalid addresses and a disabled check cause no DNS query`() throws {
    let server = try DNSTestServer(["here.org": .records([.mx(10, "mx.here.org")])])
    try serviceAsking(server).signUp("ana@@here.org").expect(422)
    #expect(server.asked.isEmpty)
    let usual = try Enlist(["--dns-server", "127.0.0.1:\(server.port)"])
    try usual.signUp("ana@nowhere.org").expect(202)
    #expect(server.asked.isEmpty)
  }

  private func serviceAsking(_ server: DNSTestServer) throws -> Enlist {
    try Enlist(["--check-deliverability", "on", "--dns-server", "127.0.0.1:\(server.port)"])
  }

  // MARK: A death

  @Test(arguments: [1, 2])
  func `every acknowledged sign-up is exported exactly once after a restart`(_ threads: Int) throws
  {
    let service = try Enlist(["--threads", "\(threads)"])
    let (port, id, acknowledgedAtDeath) = (service.port, service.process.id, 150)
    let acknowledged = Lock<[String]>([])
    let unexpected = Lock<[Int]>([])
    DispatchQueue.concurrentPerform(iterations: 6) { connection in
      // The connection ends with the process, in the middle of a POST.
      guard let client = try? Client(port: port) else { return }
      for post in 0..<400 {
        let address = "a\(connection)-\(post)@example.com"
        guard (try? client.sendSignUp(of: address)) != nil,
          let status = try? client.readResponse().status
        else { return }
        guard status == 202 else {
          unexpected.withLock { $0.append(status) }
          return
        }
        let count = acknowledged.withLock { acknowledged in
          acknowledged.append(address)
          return acknowledged.count
        }
        if count == acknowledgedAtDeath { kill(id, SIGKILL) }
      }
    }
    #expect(unexpected.withLock { $0 } == [])
    let end = try service.process.wait()
    #expect(end == .signal(SIGKILL))

    try service.restart()
    let exported = try service.addresses()
    #expect(Set(exported).count == exported.count)
    let missing = Set(acknowledged.withLock { $0 }).subtracting(exported)
    #expect(missing.isEmpty)
    #expect(acknowledged.withLock { $0.count } >= acknowledgedAtDeath)
    let counts = try service.storedCounts()
    #expect(counts == (exported.count, exported.count))
    try service.signUp("after@example.com").expect(202)
  }
}

extension Client.Event {
  /// Whether the data consists of a message, a state and a time.
  fileprivate func says(message: String, state: String) -> Bool {
    guard let data else { return false }
    return data.hasPrefix(#"{"message":"\#(message)","state":"\#(state)","at":""#)
      && data.contains(/"at":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"}$/)
  }
}
