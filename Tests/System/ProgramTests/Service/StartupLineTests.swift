import TestSupport
import Testing

@testable import enlist

/// Tests of the log line at startup.
@Suite struct StartupLineTests {
  @Test func `the first line has version, address, database and opt-in, the next what is set`()
    throws
  {
    let service = try RunningService([
      "--max-connections", "123", "--max-streams", "45", "--max-body", "2KiB",
      "--signup-rate", "7/1h", "--request-timeout", "90s", "--body-memory", "3MiB",
    ])
    let log = try service.endAndReadLog()
    let lines = log.split(separator: "\n").filter {
      $0.contains(" enlist: started ")
    }
    #expect(lines.count == 1)
    let words = try #require(lines.first).split(separator: " ").dropFirst(4)
    let address = "http://127.0.0.1:\(service.port)"
    #expect(
      try #require(lines.first).contains(
        #"opt-in-reason="neither --smtp-url nor --mail-to-directory is set""#))
    #expect(words.count < 20)
    for pair in [
      "version=\(EnlistCommand.versionNumber)", "address=\(address)",
      "database=sqlite:enlist.sqlite", "opt-in=single",
    ] {
      #expect(words.contains(Substring(pair)), "\(pair) in \(words)")
    }
    let next = log.split(separator: "\n").first { $0.contains(" info enlist: settings ") } ?? ""
    for pair in [
      "max-connections=123", "max-streams=45", "max-body=2KiB", "body-memory=3MiB",
      "request-timeout=90s", "signup-rate=7/1h",
    ] {
      #expect(next.contains(" \(pair)"), "\(pair) in \(next)")
    }
    #expect(!next.contains("check-rate"))
  }

  @Test func `the startup line has the effective values of lowered limits`() throws {
    let service = try RunningService(through: ["prlimit", "--nofile=200"])
    let log = try service.endAndReadLog()
    #expect(!log.contains("max-connections=20000 "))
  }
}
