import Glibc
import TestSupport
import Testing

@Suite struct ServeTests {
  @Test(arguments: [SIGTERM, SIGINT])
  func `serve exits with 0 on a Unix signal after printing one line`(_ signal: Int32) throws {
    let service = try RunningService(["--drain", "0s"])
    service.process.send(signal: signal)
    #expect(try service.process.wait() == .exit(0))
    #expect(try service.process.readLine() == nil)
  }

  @Test func `serve passes its own health check`() throws {
    let service = try RunningService()
    let check = try ChildProcess(
      "enlist", ["healthcheck", "--listen", "127.0.0.1:\(service.port)"])
    #expect(try check.wait() == .exit(0))
  }

  @Test func `serve warns in one line if connections exceed the descriptors`() throws {
    let service = try RunningService(["--threads", "1"], through: ["prlimit", "--nofile=200"])
    #expect(try service.request("GET", "/livez").status == 200)
    let warnings = try service.endAndReadLog().split(separator: "\n").filter {
      $0.contains(" warning ")
    }
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("from 20000 to 104") == true)
  }

  @Test func `serve logs a warning for an environment variable that names no setting`() throws {
    let service = try RunningService(through: ["env", "ENLIST_PUBLIC_ULR=http://localhost"])
    let warnings = try service.endAndReadLog().split(separator: "\n").filter {
      $0.contains(" warning ")
    }
    let text = "ENLIST_PUBLIC_ULR: no setting has this name; did you mean ENLIST_PUBLIC_URL?"
    #expect(warnings.count { $0.contains(text) } == 1, "\(warnings)")
  }

  @Test func `serve warns of a password that others can read on its way to the relay`() throws {
    let service = try RunningService([
      "--smtp-url", "smtp://list:hunter2@relay.invalid", "--smtp-tls", "off", "--mail-from",
      "news@example.org", "--public-url", "https://list.example.org",
    ])
    let log = try service.endAndReadLog()
    let text = "warning enlist: the password for the relay can be read on the way to it; set "
    #expect(log.split(separator: "\n").count { $0.contains(text) } == 1, "\(log)")
    #expect(!log.contains("hunter2"))
  }

  @Test func `a misspelled variable is reported before the setting that is missing`() throws {
    let run = try CommandRun(
      ["--smtp-url", "smtp://relay.example.com", "--mail-from", "news@example.org"],
      environment: ["ENLIST_PUBLIC_ULR": "https://list.example.org"])
    #expect(run.end == .exit(64))
    let lines = run.errors.split(separator: "\n")
    #expect(lines.first?.hasPrefix("enlist: warning: ENLIST_PUBLIC_ULR: no setting") == true)
    #expect(lines.last?.hasPrefix("enlist: --public-url: --smtp-url requires") == true)
    #expect(lines.count == 2)
  }

  @Test func `serve waits half a minute for the server of its database, and exits with 69`() throws
  {
    // No other process gets the port.
    let listener = try LocalListener(refuses: true)
    let url = "postgres://enlist@127.0.0.1:\(listener.port)/list"
    let start = ContinuousClock.now
    let service = try CommandRun(["serve", "--listen", "127.0.0.1:0", "--database", url])
    #expect(.now - start >= .seconds(29))
    #expect(service.end == .exit(69))
    #expect(service.output.isEmpty)
    let lines = service.errors.split(separator: "\n")
    #expect(lines.count { $0.contains("waiting for the database server") } == 1)
    #expect(lines.count { $0.hasPrefix("enlist: ") } == 1)
    #expect(lines.last?.hasPrefix("enlist: The database server cannot be reached") == true)
    withExtendedLifetime(listener) {}
  }
}
