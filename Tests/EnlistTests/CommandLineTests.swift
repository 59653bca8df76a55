import TestSupport
import Testing

@testable import enlist

@Suite struct CommandLineTests {
  private func outcome(
    _ arguments: [String],
    environment: [String: String] = [:]
  ) throws -> (end: ChildProcess.End, output: String, errors: String) {
    let process = try ChildProcess("enlist", arguments, environment: environment)
    let output = try process.readOutput()
    return (try process.wait(), String(decoding: output, as: UTF8.self), process.standardError)
  }

  @Test func `tells its version`() throws {
    let outcome = try outcome(["--version"])
    #expect(outcome.end == .exit(0))
    #expect(outcome.output == "\(EnlistCommand.version)\n")
    #expect(outcome.output.wholeMatch(of: /enlist \d+\.\d+\.\d+\n/) != nil)
  }

  @Test func `tells its commands, and serve its settings`() throws {
    let program = try outcome(["--help"])
    #expect(program.end == .exit(0))
    for command in ["serve", "check", "export", "erase", "healthcheck"] {
      #expect(program.output.contains(command))
    }
    let serve = try outcome(["serve", "--help"])
    #expect(serve.end == .exit(0))
    for row in SettingTable.rows {
      #expect(serve.output.contains("--\(row.name) "), "\(row.name)")
    }
  }

  @Test(
    arguments: [
      (["--listen", "8080"], "--listen is \"8080\": allowed is "),
      (["serve", "--database", "postgres://x"], "--database is \"postgres://x\": allowed is "),
      (["--status-stream", "of"], "--status-stream is \"of\": allowed is public, off"),
      (["export", "--format", "xml"], "--format is \"xml\": allowed is csv, ndjson"),
      (["healthcheck", "--listen", "a\nb"], #"--listen is "a\nb": allowed is "#),
    ]
  )
  func `a wrong value ends the start with one line and exit 64`(
    _ arguments: [String],
    _ line: String
  ) throws {
    let outcome = try outcome(arguments)
    #expect(outcome.end == .exit(64))
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix("enlist: \(line)"))
    #expect(outcome.errors.utf8.count { $0 == 10 } == 1)
    #expect(outcome.errors.hasSuffix("\n"))
  }

  @Test func `a wrong value of the environment is named by its variable`() throws {
    let outcome = try outcome([], environment: ["ENLIST_HEARTBEAT": "often"])
    #expect(outcome.end == .exit(64))
    #expect(outcome.errors.hasPrefix("enlist: ENLIST_HEARTBEAT is \"often\": allowed is a time"))
  }

  @Test func `an unknown flag is rejected with exit 64`() throws {
    #expect(try outcome(["--color", "red"]).end == .exit(64))
  }
}
