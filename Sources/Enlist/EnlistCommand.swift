internal import ArgumentParser
internal import FoundationEssentials

@main
struct EnlistCommand: AsyncParsableCommand {
  static let versionNumber = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "enlist",
    abstract: "Accept email sign-ups over HTTP and stream their progress live.",
    version: "enlist \(versionNumber)",
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
    let flags = arguments.prefix { $0 != "--" }
    await main(
      flags.map { $0 == "--help-all" ? "--help-hidden" : $0 } + arguments.dropFirst(flags.count))
  }
}
