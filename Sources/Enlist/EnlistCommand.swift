internal import ArgumentParser
internal import FoundationEssentials

/// The `enlist` program and its subcommands.
@main
struct EnlistCommand: AsyncParsableCommand {
  /// The version of the program.
  static let versionNumber = "0.1.0"
  static let version = "enlist \(versionNumber)"

  static let configuration = CommandConfiguration(
    commandName: "enlist",
    abstract: "Accept email sign-ups over HTTP and stream their progress live.",
    version: version,
    subcommands: [
      Serve.self, Check.self, Export.self, Import.self, Show.self, Count.self, Events.self,
      Erase.self, Suppress.self, Held.self, SendTest.self, Templates.self, Backup.self,
      Restore.self, Verify.self, Migrate.self, Copy.self, Keys.self, Webhooks.self,
      Healthcheck.self,
    ],
    defaultSubcommand: Serve.self
  )

  static func main() async {
    let arguments = Array(ProcessInfo.processInfo.arguments.dropFirst())
    // The parser would report an unknown command as an argument of the default one.
    if let name = arguments.first, !name.hasPrefix("-") {
      let names = configuration.subcommands.map { $0._commandName } + ["help"]
      if !names.contains(name) { exit(withError: unknownCommand(name, names)) }
    }
    if let help = ShortHelp.text(for: arguments) {
      try? OutputStream.standardOutput.write(line: help)
      return
    }
    await main(arguments.map { $0 == "--help-all" ? "--help" : $0 })
  }

  private static func unknownCommand(_ name: String, _ names: [String]) -> ValidationError {
    let remedy = NearestName.of(name.lowercased(), in: names).map { " Did you mean '\($0)'?" }
    return ValidationError("Unknown command '\(LineText.escaped(name))'.\(remedy ?? "")")
  }
}
