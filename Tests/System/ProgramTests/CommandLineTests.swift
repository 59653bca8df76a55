import ArgumentParser
import TestSupport
import Testing

@testable import enlist

@Suite struct CommandLineTests {
  private func outcome(
    _ arguments: [String], environment: [String: String] = [:]
  ) throws -> (end: ChildProcess.End, output: String, errors: String) {
    let process = try ChildProcess("enlist", arguments, environment: environment)
    let output = try process.readOutput()
    return (try process.wait(), String(decoding: output, as: UTF8.self), process.standardError)
  }

  @Test func `--version prints the version`() throws {
    let outcome = try outcome(["--version"])
    #expect(outcome.end == .exit(0))
    #expect(outcome.output == "\(EnlistCommand.version)\n")
    #expect(outcome.output.wholeMatch(of: /enlist \d+\.\d+\.\d+\n/) != nil)
  }

  @Test func `--help lists the subcommands, and serve --help-all lists the settings`() throws {
    let program = try outcome(["--help"])
    #expect(program.end == .exit(0))
    let commands = EnlistCommand.configuration.subcommands.map { $0._commandName }
    #expect(commands.contains("import"))
    for command in commands { #expect(program.output.contains("  \(command) "), "\(command)") }
    let short = try outcome(["serve", "--help"])
    #expect(short.output.contains("--help-all"))
    #expect(short.output.split(separator: "\n", omittingEmptySubsequences: false).count <= 25)
    let serve = try outcome(["serve", "--help-all"])
    #expect(serve.end == .exit(0))
    for row in SettingTable.rows {
      #expect(serve.output.contains("--\(row.name) "), "\(row.name)")
    }
  }

  @Test(
    arguments: [
      (["--listen", "8080"], #"invalid value "8080" for --listen: expected "#),
      (
        ["serve", "--database", "postgres://x"],
        #"invalid value "postgres://x" for --database: expected "#
      ),
      (
        ["--status-stream", "of"],
        #"invalid value "of" for --status-stream: expected one of public, off"#
      ),
      (
        ["export", "--format", "xml"],
        #"invalid value "xml" for --format: expected one of csv, ndjson"#
      ),
      (
        ["export", "--format", "csv", "--consents"],
        #"invalid value "csv" for --format: --consents requires ndjson"#
      ),
      (
        ["suppress", "ana@example.com", "--reason", "spam"],
        #"invalid value "spam" for --reason: expected one of operator, complaint, objected, "#
      ),
      (["--smtp-url", "mail.example.com"], #"invalid value "mail.example.com" for --smtp-url: "#),
      (
        ["--smtp-url", "smtp://relay.example.com", "--mail-from", "news@example.org"],
        "--public-url: --smtp-url requires --public-url, with which the links in each mail begin"
      ),
      (["--opt-in", "double"], #"invalid value "double" for --opt-in: double opt-in requires "#),
      (
        ["send-test", "ana@example.com"],
        #"invalid value "none" for --smtp-url: expected --smtp-url or --mail-to-directory"#
      ),
      (["--secret", "x"], #"invalid value "***" for --secret: expected "#),
      (["--operator-listen", "systemd"], #"invalid value "systemd" for --operator-listen: "#),
      (
        ["--listen", "127.0.0.1:9", "--operator-listen", "127.0.0.1:9"],
        #"invalid value "127.0.0.1:9" for --operator-listen: expected another address than that"#
      ),
      (
        ["--operator-max-connections", "0"],
        #"invalid value "0" for --operator-max-connections: expected a whole number from 1 to "#
      ),
      (
        ["--metrics-access", "all"], #"invalid value "all" for --metrics-access: expected one of "#
      ),
      (
        ["keys", "create", "--name", "x", "--scopes", "metrics,all"],
        #"invalid value "metrics,all" for --scopes: expected scopes that a route uses, separated "#
      ),
      (
        ["keys", "create", "--name", "a\u{2028}b", "--scopes", "metrics"],
        #"invalid value "a\u{2028}b" for --name: expected one line of 1 to 64 bytes"#
      ),
      (
        ["keys", "create", "--name", "x", "--scopes", "metrics", "--expires", "1s"],
        #"invalid value "1s" for --expires: expected a duration such as 12h or 90d, "#
      ),
      (["healthcheck", "--listen", "a\nb"], #"invalid value "a\nb" for --listen: expected "#),
    ]
  )
  func `an invalid value stops startup with one line and exit code 64`(
    _ arguments: [String], _ line: String
  ) throws {
    let outcome = try outcome(arguments)
    #expect(outcome.end == .exit(64))
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix("enlist: \(line)"))
    #expect(outcome.errors.utf8.count { $0 == 10 } == 1)
    #expect(outcome.errors.hasSuffix("\n"))
  }

  @Test func `the error for an invalid environment variable names the variable`() throws {
    let outcome = try outcome([], environment: ["ENLIST_HEARTBEAT": "often"])
    #expect(outcome.end == .exit(64))
    let line = #"enlist: invalid value "often" for ENLIST_HEARTBEAT: expected a duration"#
    #expect(outcome.errors.hasPrefix(line))
  }

  @Test func `the program reads a setting from a file`() throws {
    let folder = try TemporaryFolder()
    try folder.write("nowhere\n", to: "listen")
    let process = try ChildProcess(
      "enlist", environment: ["ENLIST_LISTEN_FILE": "listen"], in: folder)
    #expect(try process.wait() == .exit(64))
    #expect(
      process.standardError.hasPrefix("enlist: invalid value \"listen\" for ENLIST_LISTEN_FILE: "))
  }

  @Test func `the program hides the password of a rejected value`() throws {
    let process = try ChildProcess("enlist", ["--database", "mysql://u:secret@h/list"])
    #expect(try process.wait() == .exit(64))
    let line = #"enlist: invalid value "mysql://u:***@h/list" for --database: "#
    #expect(process.standardError.hasPrefix(line))
  }

  @Test(
    arguments: [
      (["exprt"], "Unknown command 'exprt'. Did you mean 'export'?"),
      (["exprt", "--format", "csv"], "Unknown command 'exprt'. Did you mean 'export'?"),
      (["exprt", "--help"], "Unknown command 'exprt'. Did you mean 'export'?"),
      (["Sendtest", "--listen", "x"], "Unknown command 'Sendtest'. Did you mean 'send-test'?"),
      (["frobnicate"], "Unknown command 'frobnicate'."),
      (["a\nb"], #"Unknown command 'a\nb'."#),
    ]
  )
  func `an unknown command is rejected with the name that was probably meant`(
    _ arguments: [String], _ message: String
  ) throws {
    let outcome = try outcome(arguments)
    #expect(outcome.end == .exit(64))
    #expect(outcome.output.isEmpty)
    #expect(
      outcome.errors
        == """
        Error: \(message)
        Usage: enlist <subcommand>
          See 'enlist --help' for more information.

        """
    )
  }

  @Test func `a command warns of an environment variable that names no setting`() throws {
    let outcome = try outcome(
      ["check", "ana@example.com"], environment: ["ENLIST_EMAIL_LEVLE": "test"])
    #expect(outcome.end == .exit(0))
    #expect(
      outcome.errors
        == """
        enlist: warning: ENLIST_EMAIL_LEVLE: no setting has this name; \
        did you mean ENLIST_EMAIL_LEVEL?

        """
    )
  }

  @Test func `an unknown flag is rejected with exit code 64`() throws {
    #expect(try outcome(["--color", "red"]).end == .exit(64))
  }
}
