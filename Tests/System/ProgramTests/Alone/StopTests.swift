import Glibc
import TestSupport
import Testing

/// Tests of SIGTERM, after which open connections end in order and the process exits with 0.
@Suite struct StopTests {
  @Test func `streams end cleanly within the drain time`() throws {
    let service = try RunningService(["--drain", "1s"])
    let id = try service.signUp("ana@example.com").execution()
    var streams = try (0..<20).map { _ in try service.stream() }
    let execution = try service.stream("/executions/\(id)/events")
    #expect(try execution.readEvent()?.event == "started")
    #expect(try execution.readEvent()?.event == "completed")
    streams.append(execution)
    service.process.send(signal: SIGTERM)
    let deadline = Deadline(after: .seconds(4))
    // `nil` means the final empty chunk; a truncated stream would throw.
    for stream in streams { #expect(try stream.readEvent(by: deadline) == nil) }
    #expect(try service.process.wait(by: deadline) == .exit(0))
  }

  @Test func `a service without open connections exits at once despite a long drain time`() throws {
    let service = try RunningService(["--drain", "1h"])
    let kept = try service.connect()
    try kept.request("GET", "/livez")
    #expect(try kept.readResponse().status == 200)
    service.process.send(signal: SIGTERM)
    #expect(try service.process.wait() == .exit(0))
    #expect(try kept.readToEnd().isEmpty)
  }

  @Test func `a draining service is alive but not ready, and rejects sign-ups`() throws {
    let service = try RunningService(["--drain", "1h"])
    let stream = try service.stream()
    // An incomplete request is open, and the service waits for the rest.
    let half = try service.connect()
    try half.request("GET", "/livez", fields: ["Content-Length: 1"])
    #expect(try service.request("GET", "/readyz").status == 200)
    service.process.send(signal: SIGTERM)
    try Deadline.soon.wait { try service.request("GET", "/readyz").status != 200 }

    let ready = try service.request("GET", "/readyz")
    #expect(ready.status == 503)
    #expect(ready["Retry-After"] != nil)
    #expect(try service.request("GET", "/livez").status == 200)
    let rejected = try service.signUp("ana@example.com")
    #expect(rejected.status == 503)
    #expect(rejected.text.contains("/problems/command-disabled"))
    let eventSource = ["Accept: text/event-stream"]
    let busy = try service.request("GET", "/status", fields: eventSource)
    #expect(busy.status == 200)
    #expect(busy.text.hasSuffix("\n: busy\n"))
    #expect(try service.request("GET", "/status").status == 503)
    #expect(try service.exportedAddresses().isEmpty)
    stream.close()
    service.process.send(signal: SIGKILL)
  }

  @Test func `a sign-up in progress gets its response before the exit`() throws {
    let service = try RunningService(["--drain", "1h", "--database-timeout", "60s"])
    let stream = try service.stream()
    let lock = try StolenLock(of: service)
    let client = try service.connect()
    try client.sendSignUp(of: "ana@example.com")
    #expect(try stream.readEvent()?.event == "started")
    stream.close()
    service.process.send(signal: SIGTERM)
    try Deadline.soon.wait { try service.request("GET", "/livez")["Connection"] != nil }
    try lock.giveBack()
    #expect(try client.readResponse().status == 202)
    // The service detects the closed stream at its next heartbeat at the latest, so the test does
    // not wait for that. Until then, a second service is rejected.
    #expect(try service.exportedAddresses() == ["ana@example.com"])
  }

  @Test func `a second instance on the same port exits with one line`() throws {
    let service = try RunningService()
    let folder = try TemporaryFolder()
    let second = try ChildProcess(
      "enlist", ["--listen", "127.0.0.1:\(service.port)", "--log-level", "error"], in: folder)
    #expect(try second.readLine() == nil)
    #expect(try second.wait() == .exit(1))
    #expect(
      second.standardError
        == "enlist: Cannot listen on 127.0.0.1:\(service.port): Address already in use.\n"
    )
    #expect(try service.request("GET", "/livez").status == 200)
  }

  @Test(arguments: ["text", "folder", "nowhere"])
  func `a database that cannot be opened stops startup with one line`(_ what: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(String(repeating: "no database\n", count: 1000), to: "text")
    try #require(mkdir(folder.path(of: "folder"), 0o700) == 0)
    let path = what == "nowhere" ? "nowhere/x" : what
    let process = try ChildProcess(
      "enlist",
      ["--listen", "127.0.0.1:0", "--database", "sqlite:\(path)", "--log-level", "error"],
      in: folder)
    #expect(try process.readLine() == nil)
    #expect(try process.wait() == .exit(1))
    let lines = process.standardError.split(separator: "\n")
    #expect(lines.count == 1, "\(process.standardError)")
    #expect(lines.first?.hasPrefix("enlist: ") == true)
    #expect(lines.first?.contains(path) == true)
  }
}
