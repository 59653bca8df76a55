internal import ArgumentParser

/// The program: the front door of a mailing list.
@main
struct EnlistCommand: AsyncParsableCommand {
  /// The version of the program.
  static let versionNumber = "0.1.0"
  /// What `--version` prints.
  static let version = "enlist \(versionNumber)"

  static let configuration = CommandConfiguration(
    commandName: "enlist",
    abstract: "Takes email sign-ups over HTTP and shows live what becomes of them.",
    version: version,
    subcommands: [Serve.self, Check.self, Export.self, Erase.self, Healthcheck.self],
    defaultSubcommand: Serve.self
  )
}
