import ArgumentParser
import Testing

@testable import enlist

/// The help of each command, which fits on a screen.
@Suite struct ShortHelpTests {
  private static let commands: [[String]] =
    [[]]
    + EnlistCommand.configuration.subcommands.flatMap { command in
      [[command._commandName]]
        + command.configuration.subcommands.map { [command._commandName, $0._commandName] }
    }

  @Test(arguments: commands)
  func `help fits on a screen of 24 lines and 80 columns`(_ words: [String]) {
    var command: any ParsableCommand.Type = EnlistCommand.self
    for word in words {
      command = command.configuration.subcommands.first { $0._commandName == word } ?? command
    }
    let help = ShortHelp.text(for: command, columns: 80)
    let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
    // A terminal breaks longer lines; the last line is that of the prompt.
    let count = lines.reduce(0) { $0 + max(1, ($1.count + 79) / 80) }
    #expect(count <= 23, "\(help)")
    #expect(help.contains("USAGE: enlist"))
    #expect(!help.contains("--database-timeout <"))
  }

  @Test(arguments: [
    (["--help"], "SUBCOMMANDS:"), (["serve", "-h"], "enlist serve"),
    (["--check", "--help"], "enlist serve"), (["keys", "create", "--help"], "enlist keys create"),
    (["export", "--state", "x", "--help"], "enlist export"),
  ])
  func `help is that of the command`(_ arguments: [String], expected: String) {
    #expect(ShortHelp.text(for: arguments)?.contains(expected) == true)
  }

  @Test(arguments: [[], ["serve"], ["check", "--", "--help"], ["export", "--help-all"]])
  func `other command lines have no short help`(_ arguments: [String]) {
    #expect(ShortHelp.text(for: arguments) == nil)
  }
}
