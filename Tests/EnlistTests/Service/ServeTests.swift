import Glibc
import TestSupport
import Testing

@Suite struct ServeTests {
  @Test func `stores a sign-up, shows it live, and exports it beside the running service`() throws {
    let service = try RunningService()
    let stream = try service.connect()
    try stream.request("GET", "/status")
    #expect(try stream.readHead().status == 200)
    // The preamble: whoever has it, misses nothing that comes afterwards.
    #expect(try stream.readEventLine()?.hasPrefix("retry: ") == true)

    #expect(try service.signUp("ana@example.com").status == 202)

    let started = try #require(try stream.readEvent())
    #expect(started.event == "started")
    #expect(started.data?.contains("Sending request...") == true)
    let completed = try #require(try stream.readEvent())
    #expect(completed.event == "completed")
    #expect(completed.data?.contains("Thanks") == true)
    #expect(try service.exportedAddresses() == ["ana@example.com"])
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `ends with 0 on a Unix signal, having said one line`(_ signal: Int32) throws {
    let service = try RunningService(["--drain", "0s"])
    service.process.send(signal: signal)
    #expect(try service.process.wait() == .exit(0))
    #expect(try service.process.readLine() == nil)
  }

  @Test func `an open stream ends cleanly when the service stops`() throws {
    let service = try RunningService(["--drain", "100ms"])
    let stream = try service.connect()
    try stream.request("GET", "/status")
    #expect(try stream.readHead().status == 200)
    #expect(try stream.readEventLine()?.hasPrefix("retry: ") == true)
    service.process.send(signal: SIGTERM)
    while try stream.readEvent() != nil {}
    #expect(try service.process.wait() == .exit(0))
  }

  @Test func `what was acknowledged survives the death of the process`() throws {
    let folder = try TemporaryFolder()
    let addresses = (1...20).map { "a\($0)@example.com" }
    let first = try RunningService(in: folder)
    for address in addresses {
      #expect(try first.signUp(address).status == 202)
    }
    first.process.send(signal: SIGKILL)
    #expect(try first.process.wait() == .signal(SIGKILL))
    let second = try RunningService(in: folder)
    #expect(try second.exportedAddresses() == addresses)
  }

  @Test func `answers its own healthcheck`() throws {
    let service = try RunningService()
    let check = try ChildProcess(
      "enlist",
      ["healthcheck", "--listen", "127.0.0.1:\(service.port)"]
    )
    #expect(try check.wait() == .exit(0))
  }

  @Test func `nobody reads the merged stream when it is off`() throws {
    let service = try RunningService(["--status-stream", "off"])
    #expect(try service.answer("GET", "/status").status == 403)
  }

  @Test func `says in one line that its address is taken`() throws {
    let listener = try LocalListener()
    let folder = try TemporaryFolder()
    let arguments = ["--listen", "127.0.0.1:\(listener.port)"]
    let process = try ChildProcess("enlist", arguments, in: folder)
    #expect(try process.wait() == .exit(1))
    let lines = process.standardError.split(separator: "\n").filter { $0.hasPrefix("enlist: ") }
    #expect(lines.count == 1)
    #expect(lines.first?.contains("127.0.0.1:\(listener.port)") == true)
  }

  @Test func `warns in one line that connections do not fit the descriptors`() throws {
    let service = try RunningService(through: ["prlimit", "--nofile=200"])
    let warnings = service.process.standardError.split(separator: "\n").filter {
      $0.contains(" warning ")
    }
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("from 20000 to 136") == true)
    #expect(try service.answer("GET", "/livez").status == 200)
  }
}
