internal import ArgumentParser
internal import ListStorage
internal import MailingList

/// The `enlist erase` command, which removes every trace of people from the database.
struct Erase: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Erase subscribers and their consents.",
    discussion: """
      Deletes the subscribers and all that belongs to them, and rewrites the database, while the \
      service is running. If an address is invalid, nothing is erased.
      """
  )

  @Argument(help: "Addresses to erase; - reads them from standard input")
  var addresses: [String]
  @Flag(help: "Print the counts without erasing anything")
  var dryRun = false
  @Option(
    help: "What the hashes of the addresses prevent: imports (default), everything or nothing")
  var suppress: String?
  @OptionGroup var database: DatabaseOptions
  @OptionGroup var secret: SecretOptions

  func run() throws {
    let settings = try readSettings()
    let trace = try readTrace()
    try reportingErrors {
      let list = try AddressArguments.read(addresses, effect: "erased")
      let eraser = try ListCommands(openAccess(settings), keyring: settings.secret)
      let counts =
        dryRun
        ? try eraser.count(list) : try eraser.erase(list, leaving: trace)
      eraser.close()
      let line = counts.summary(isDryRun: dryRun)
      try OutputStream.standardOutput.write(line: line)
    }
  }

  private func readTrace() throws(ExitCode) -> ErasureTrace {
    guard let suppress else { return .imports }
    if let trace = ErasureTrace(rawValue: suppress) { return trace }
    let reason = "expected one of imports, everything, nothing"
    let error = SettingError(setting: "--suppress", value: suppress, reason: reason)
    throw CommandFailure.exit(saying: error, code: 64)
  }
}

extension ErasedCounts {
  /// Formats the line that the command prints, such as "erased 1 subscriber and 3 consents; 1
  /// suppression stays".
  func summary(isDryRun: Bool) -> String {
    func text(_ count: Int, _ noun: String) -> String {
      "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
    return "\(isDryRun ? "would erase" : "erased") \(text(subscribers, "subscriber"))"
      + " and \(text(consents, "consent"))"
      + (suppressions == 0
        ? "" : "; \(text(suppressions, "suppression")) stay\(suppressions == 1 ? "s" : "")")
  }
}
