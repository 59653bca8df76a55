internal import ArgumentParser
internal import FoundationEssentials

@main
struct EnlistCommand: AsyncParsableCommand {
  static let versionNumber = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "enlist",
    abstract: "Accept email sign-ups over HTTP and stream their progress live.",
    version: "enlist \(versionNumber)",
    // Each has its name: the parser would derive it from the type, which took a sixth of a start.
    subcommands: [
      Serve.self, Check.self, Export.self, Import.self, Show.self, Count.self, Events.self,
      Erase.self, Suppress.self, Held.self, SendTest.self, Templates.self, Backup.self,
      Restore.self, Verify.self, Migrate.self, Copy.self, Keys.self, Webhooks.self,
      Healthcheck.self,
    ],
    defaultSubcommand: Serve.self
  )

  static func main() async {
    ThisProcess.openMissingStreams()
    LogOutput.flushAtExit()
    let arguments = Array(CommandLine.arguments.dropFirst())
    // The parser would report an unknown command as an argument of the default one.
    let names = configuration.subcommands.map { $0._commandName } + ["help"]
    if let name = arguments.first, !name.hasPrefix("-"), !names.contains(name) {
      let remedy = NearestName.of(name.lowercased(), in: names).map { " Did you mean '\($0)'?" }
      exit(
        withError: ValidationError("Unknown command '\(LineText.escaped(name))'.\(remedy ?? "")"))
    }
    if arguments.count == 1, ["--help", "-h", "help"].contains(arguments[0]) {
      try? OutputStream.standardOutput.write(line: shortHelp)
      return
    }
    await main(Self.helpArguments(of: arguments) ?? arguments)
  }

  /// The arguments that show the help for which a line asks; `nil` if it asks for none.
  ///
  /// The parser would first reject a wrong value in the line. Words after `--` are no flags.
  private static func helpArguments(of arguments: [String]) -> [String]? {
    let flags = arguments.prefix { $0 != "--" }
    guard let help = flags.first(where: { ["-h", "--help", "--help-all"].contains($0) })
    else { return nil }
    let words = flags.prefix { !$0.hasPrefix("-") }
    let command = words.isEmpty && flags.count > 1 ? [Serve._commandName] : Array(words)
    return command + [help == "--help-all" ? "--help-hidden" : help]
  }

  /// The help of all commands on a screen of 24 lines, for which the parser's has too many.
  private static var shortHelp: String {
    let commands = configuration.subcommands.map { command in
      let name = command._commandName + (command == Serve.self ? " (default)" : "")
      let padding = String(repeating: " ", count: 24 - name.count)
      return "  \(name)\(padding)\(command.configuration.abstract)"
    }
    return """
      OVERVIEW: \(configuration.abstract)
      USAGE: enlist <subcommand>; see enlist help <subcommand>
      SUBCOMMANDS:
      \(commands.joined(separator: "\n"))
      """
  }
}
