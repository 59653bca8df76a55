internal import ArgumentParser
internal import MailingList

/// The `enlist export` command, which writes the list to standard output.
struct Export: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Write the subscribers to standard output.",
    discussion: """
      CSV output starts with a header. A cell that starts with =, +, -, @, a tab, a carriage \
      return or an apostrophe is prefixed with an apostrophe, so that no spreadsheet runs it as a \
      formula; an import must remove exactly one. The command works while the service is running.
      """
  )

  @Option(help: "Output format: csv, or ndjson (one JSON object per line) (default: csv)")
  var format: String?
  @OptionGroup var database: DatabaseOptions
  @OptionGroup var log: LogOptions
  @OptionGroup var file: ConfigurationFileOption

  func run() async throws {
    ProcessSignals.ignoreWriteSignals()
    let settings = try Settings.read([database, log], file: file)
    guard let format = ExportFormat(rawValue: format ?? ExportFormat.csv.rawValue) else {
      let error = SettingError(
        setting: "--format",
        value: format ?? "",
        reason: "expected one of csv, ndjson"
      )
      throw CommandFailure.exit(saying: error, code: 64)
    }
    do {
      let export = SubscriberExport(reader: try openReader(settings), format: format)
      try await export.write(to: .standardOutput)
    } catch ExportError.output(.closed) {
      // The reader closed the pipe early, as `head` does.
    } catch {
      throw CommandFailure.exit(saying: "\(error)")
    }
  }
}
