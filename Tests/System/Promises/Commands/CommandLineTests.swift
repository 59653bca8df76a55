import ArgumentParser
import TestSupport
import Testing

@testable import enlist

@Suite struct CommandLineTests {
  @Test func `--version prints the version`() throws {
    let run = try Child.run(["enlist", "--version"]).expect(0)
    #expect(run.output == "\(EnlistCommand.configuration.version)\n")
    #expect(run.output.wholeMatch(of: /enlist \d+\.\d+\.\d+\n/) != nil, "\(run)")
  }

  @Test func `--help lists the subcommands, and serve --help-all lists the settings`() throws {
    let program = try Child.run(["enlist", "--help"]).expect(0)
    let commands = EnlistCommand.configuration.subcommands.map { $0._commandName }
    #expect(commands.contains("import"))
    for command in commands { #expect(program.output.contains("  \(command) "), "\(command)") }
    let short = try Child.run(["enlist", "serve", "--help"]).output
    #expect(short.contains("--help-all"))
    let serve = try Child.run(["enlist", "serve", "--help-all"]).expect(0)
    for row in SettingTable.rows {
      #expect(serve.output.contains("--\(row.name) "), "\(row.name)")
    }
  }

  private static let commands: [[String]] =
    [[]]
    + EnlistCommand.configuration.subcommands.flatMap { command in
      [[command._commandName]]
        + command.configuration.subcommands.map { [command._commandName, $0._commandName] }
    }

  @Test(arguments: commands)
  func `help fits on a screen of 24 lines and 80 columns`(_ command: [String]) throws {
    let help = try Child.run(
      ["enlist"] + command + ["--help"], environment: ["COLUMNS": "80"]
    ).expect(0).output
    // A terminal breaks longer lines; the last line is that of the prompt.
    let lines = help.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    let count = lines.reduce(0) { $0 + max(1, ($1.count + 79) / 80) }
    #expect(count <= 23, "\(help)")
    #expect(help.contains("USAGE: \((["enlist"] + command).joined(separator: " "))"))
    #expect(!help.contains("--database-timeout <"))
    #expect(!help.contains("`") && !help.contains("]("), "\(help)")
  }

  @Test(arguments: [
    (["serve", "-h"], "USAGE: enlist serve"), (["--check", "--help"], "USAGE: enlist serve"),
    (["export", "--state", "x", "--help"], "USAGE: enlist export"),
    (["help", "export"], "USAGE: enlist export"),
    (["export", "--help-all"], "--database-timeout <"),
  ])
  func `help is that of the command`(_ arguments: [String], expected: String) throws {
    let run = try Child.run(["enlist"] + arguments).expect(0)
    #expect(run.output.contains(expected), "\(run)")
  }

  @Test(arguments: ["--help", "--help-all", "-h"])
  func `a word after -- is no flag`(_ word: String) throws {
    let run = try Child.run(["enlist", "verify", "--", word]).expect(1)
    #expect(
      run.errors == "enlist: Cannot open the database \(word): the file does not exist.\n", "\(run)"
    )
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
