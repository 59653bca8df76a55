internal import ArgumentParser

/// The `enlist` program and its subcommands.
@main
struct EnlistCommand: AsyncParsableCommand {
  /// The version of the program.
  static let versionNumber = "0.1.0"
  /// The text that `--version` prints.
  static let version = "enlist \(versionNumber)"

  static let configuration = CommandConfiguration(
    commandName: "enlist",
    abstract: "Accept email sign-ups over HTTP and stream their progress live.",
    version: version,
    subcommands: [
      Serve.self, Check.self, Export.self, Erase.self, Suppress.self, SendTest.self,
      Backup.self, Restore.self, Verify.self, Migrate.self, Keys.self, Healthcheck.self,
    ],
    defaultSubcommand: Serve.self
  )
}
