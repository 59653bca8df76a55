import Glibc
import TestSupport
import Testing

@testable import enlist

/// Tests of what `enlist serve` says from its start to its end.
@Suite struct ServeTests {
  @Test(arguments: [SIGTERM, SIGINT])
  func `serve exits with 0 on a Unix signal after printing one line`(_ signal: Int32) throws {
    let service = try Enlist(["--drain", "0s"])
    let end = try service.process.wait(after: signal)
    #expect(end == .exit(0))
    #expect(service.process.output == "listening on http://127.0.0.1:\(service.port)\n")
  }

  @Test func `serve passes its own health check`() throws {
    let service = try Enlist()
    try service.run("healthcheck", "--listen", "127.0.0.1:\(service.port)").expect(0)
  }

  // MARK: The log at startup

  @Test func `the first line has version, address, database and opt-in, the next what is set`()
    throws
  {
    let service = try Enlist([
      "--max-connections", "123", "--max-streams", "45", "--max-body", "2KiB",
      "--signup-rate", "7/1h", "--request-timeout", "90s", "--body-memory", "3MiB",
    ])
    let log = try service.stop().split(separator: "\n")
    let lines = log.filter { $0.contains(" enlist: started ") }
    #expect(lines.count == 1)
    let line = try #require(lines.first)
    #expect(
      line.contains(#"opt-in-reason="neither --smtp-url nor --mail-to-directory is set""#),
      "\(line)")
    let words = line.split(separator: " ").dropFirst(4)
    #expect(words.count < 20, "\(line)")
    for pair in [
      "version=\(EnlistCommand.versionNumber)", "address=http://127.0.0.1:\(service.port)",
      "database=sqlite:enlist.sqlite", "opt-in=single",
    ] {
      #expect(words.contains(Substring(pair)), "\(pair) in \(line)")
    }
    let next = log.first { $0.contains(" info enlist: settings ") } ?? ""
    for pair in [
      "max-connections=123", "max-streams=45", "max-body=2KiB", "body-memory=3MiB",
      "request-timeout=90s", "signup-rate=7/1h",
    ] {
      #expect(next.contains(" \(pair)"), "\(pair) in \(next)")
    }
    #expect(!next.contains("check-rate"), "\(next)")
  }

  @Test func `serve warns in one line if connections exceed the descriptors`() throws {
    let service = try Enlist(
      ["--threads", "1", "--log-level", "info"], through: ["prlimit", "--nofile=200"])
    try service.get("/livez").expect(200)
    let log = try service.stop()
    let warnings = Self.warnings(in: log)
    #expect(warnings.count == 1, "\(warnings)")
    #expect(warnings.first?.contains("from 20000 to 104") == true, "\(warnings)")
    // The line about the start has the effective values.
    #expect(!log.contains("max-connections=20000 "), "\(log)")
  }

  @Test func `serve logs a warning for an environment variable that names no setting`() throws {
    let service = try Enlist(environment: ["ENLIST_PUBLIC_ULR": "http://localhost"])
    let warnings = Self.warnings(in: try service.stop())
    let text = "ENLIST_PUBLIC_ULR: no setting has this name; did you mean ENLIST_PUBLIC_URL?"
    #expect(warnings.count { $0.contains(text) } == 1, "\(warnings)")
  }

  @Test func `serve warns of a password that others can read on its way to the relay`() throws {
    let service = try Enlist([
      "--smtp-url", "smtp://list:hunter2@relay.invalid", "--smtp-tls", "off", "--mail-from",
      "news@example.org", "--public-url", "https://list.example.org",
    ])
    let log = try service.stop()
    let text = "warning enlist: the password for the relay can be read on the way to it; set "
    #expect(log.split(separator: "\n").count { $0.contains(text) } == 1, "\(log)")
    #expect(!log.contains("hunter2"))
  }

  private static func warnings(in log: String) -> [Substring] {
    log.split(separator: "\n").filter { $0.contains(" warning ") }
  }

  // MARK: The server of its database

  @Test func `serve waits half a minute for the server of its database, and exits with 69`() throws
  {
    // No other process gets the port.
    let listener = try LocalListener(refuses: true)
    let url = "postgres://enlist@127.0.0.1:\(listener.port)/list"
    let start = ContinuousClock.now
    let run = try Child.run(["enlist", "serve", "--listen", "127.0.0.1:0", "--database", url])
    #expect(.now - start >= .seconds(29))
    run.expect(69)
    #expect(run.output.isEmpty)
    let lines = run.errors.split(separator: "\n")
    #expect(lines.count { $0.contains("waiting for the database server") } == 1, "\(lines)")
    #expect(lines.count { $0.hasPrefix("enlist: ") } == 1, "\(lines)")
    #expect(
      lines.last?.hasPrefix("enlist: The database server cannot be reached") == true, "\(lines)")
    withExtendedLifetime(listener) {}
  }
}
