import Glibc
import TestSupport
import Testing

/// Tests of SIGTERM, after which open connections end in order and the process exits with 0.
@Suite struct StopTests {
  @Test func `streams end cleanly within the drain time`() throws {
    let service = try Enlist(["--drain", "1s"])
    let id = try service.signUp("ana@example.com").expect(202).execution
    var streams = try (0..<20).map { _ in try service.stream() }
    let execution = try service.stream("/executions/\(id)/events")
    for name in ["started", "completed"] {
      let event = try execution.readEvent()
      #expect(event?.event == name)
    }
    streams.append(execution)
    service.process.send(SIGTERM)
    let end = ContinuousClock.now + .seconds(4)
    for stream in streams {
      let event = try stream.readEvent(within: end - .now)
      // `nil` means the final empty chunk; a truncated stream would throw.
      #expect(event == nil)
    }
    let code = try service.process.wait(within: end - .now)
    #expect(code == .exit(0))
  }

  @Test func `a service without open connections exits at once despite a long drain time`() throws {
    let service = try Enlist(["--drain", "1h"])
    let kept = try service.connect()
    try kept.request("GET", "/livez")
    try kept.readResponse().expect(200)
    let end = try service.process.wait(after: SIGTERM)
    #expect(end == .exit(0))
    let rest = try kept.readToEnd()
    #expect(rest.isEmpty)
  }

  @Test func `a draining service is alive but not ready, and rejects sign-ups`() throws {
    let service = try Enlist(["--drain", "1h"])
    let stream = try service.stream()
    // An incomplete request is open, and the service waits for the rest.
    let half = try service.connect()
    try half.request("GET", "/livez", fields: ["Content-Length: 1"])
    try service.get("/readyz").expect(200)
    service.process.send(SIGTERM)
    try eventually("a service that is not ready") { try service.get("/readyz").status != 200 }

    let ready = try service.get("/readyz").expect(503)
    #expect(ready["Retry-After"] != nil)
    try service.get("/livez").expect(200)
    try service.signUp("ana@example.com").expect(503, "command-disabled")
    let busy = try service.get("/status", fields: ["Accept: text/event-stream"]).expect(200)
    #expect(busy.text.hasSuffix("\n: busy\n"), "\(busy)")
    try service.get("/status").expect(503)
    let addresses = try service.addresses()
    #expect(addresses.isEmpty)
    stream.close()
    service.process.send(SIGKILL)
  }

  @Test func `a sign-up in progress gets its response before the exit`() throws {
    let service = try Enlist(["--drain", "1h", "--database-timeout", "60s"])
    let stream = try service.stream()
    let lock = try StolenLock(of: service)
    let client = try service.connect()
    try client.sendSignUp(of: "ana@example.com")
    let event = try stream.readEvent()
    #expect(event?.event == "started")
    stream.close()
    service.process.send(SIGTERM)
    try eventually("the end of connections") { try service.get("/livez")["Connection"] != nil }
    try lock.giveBack()
    try client.readResponse().expect(202)
    // The service detects the closed stream at its next heartbeat at the latest, so the test does
    // not wait for that. Until then, a second service is rejected.
    let addresses = try service.addresses()
    #expect(addresses == ["ana@example.com"])
  }
}
