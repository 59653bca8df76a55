import ArgumentParser
import TestSupport
import Testing

@testable import enlist

@Suite struct CommandLineTests {
  @Test func `--version prints the version`() throws {
    let run = try Child.run(["enlist", "--version"]).expect(0)
    #expect(run.output == "\(EnlistCommand.version)\n")
    #expect(run.output.wholeMatch(of: /enlist \d+\.\d+\.\d+\n/) != nil, "\(run)")
  }

  @Test func `--help lists the subcommands, and serve --help-all lists the settings`() throws {
    let program = try Child.run(["enlist", "--help"]).expect(0)
    let commands = EnlistCommand.configuration.subcommands.map { $0._commandName }
    #expect(commands.contains("import"))
    for command in commands { #expect(program.output.contains("  \(command) "), "\(command)") }
    let short = try Child.run(["enlist", "serve", "--help"]).output
    #expect(short.contains("--help-all"))
    #expect(short.split(separator: "\n", omittingEmptySubsequences: false).count <= 25)
    let serve = try Child.run(["enlist", "serve", "--help-all"]).expect(0)
    for row in SettingTable.rows {
      #expect(serve.output.contains("--\(row.name) "), "\(row.name)")
    }
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
    let run = try Child.run(["enlist"] + arguments).expect(64)
    #expect(run.output.isEmpty)
    #expect(
      run.errors
        == """
        Error: \(message)
        Usage: enlist <subcommand>
          See 'enlist --help' for more information.

        """
    )
  }

  @Test func `a command warns of an environment variable that names no setting`() throws {
    let run = try Child.run(
      ["enlist", "check", "ana@example.com"], environment: ["ENLIST_EMAIL_LEVLE": "test"])
    run.expect(0)
    #expect(
      run.errors
        == """
        enlist: warning: ENLIST_EMAIL_LEVLE: no setting has this name; \
        did you mean ENLIST_EMAIL_LEVEL?

        """
    )
  }
}
