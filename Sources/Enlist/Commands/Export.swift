internal import ArgumentParser
internal import MailingList

/// `enlist export`: writes the list to standard output.
struct Export: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Write the subscribers to standard output.",
    discussion: """
      CSV has a header. A cell that begins with =, +, -, @, a tab, a carriage return or an \
      apostrophe gets an apostrophe in front, so that no spreadsheet runs it; an import removes \
      exactly one. Works next to a running service.
      """
  )

  @Option(help: "csv, or ndjson: one JSON object a line. (default: csv)")
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
        reason: "allowed is csv, ndjson"
      )
      throw CommandFailure.exit(saying: error, code: 64)
    }
    do {
      let export = SubscriberExport(reader: try openReader(settings), format: format)
      try await export.write(to: .standardOutput)
    } catch ExportError.output(.closed) {
      // Whoever read has read enough, as `head` does.
    } catch {
      throw CommandFailure.exit(saying: "\(error)")
    }
  }
}
