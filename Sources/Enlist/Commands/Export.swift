internal import ArgumentParser
internal import MailingList
internal import Security

/// The `enlist export` command, which writes the list to standard output.
struct Export: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Write the subscribers to standard output.",
    discussion: """
      In CSV, a cell that a spreadsheet could run as a formula is prefixed with an apostrophe. The \
      command works while the service is running.
      """
  )

  @Option(
    help:
      "Output format: csv, or ndjson (one JSON object per line) (default: csv, with --consents ndjson)"
  )
  var format: String?
  @Flag(help: "Add what each person agreed to, when and by what means; the format is then ndjson")
  var consents = false
  @Option(help: "Only subscribers in this state: pending, subscribed, unsubscribed or suppressed")
  var state: String?
  @Flag(help: "Add each person's link to leave, valid as long as the secret; requires --public-url")
  var links = false
  @OptionGroup var form: FormOptions
  @OptionGroup var publicURL: PublicURLOptions
  @OptionGroup var secret: SecretOptions
  @OptionGroup var database: DatabaseOptions

  func run() async throws {
    let settings = try readSettings()
    let format = try readFormat()
    let state = try readState()
    try await reportingErrors {
      let reader = try openReader(settings)
      var export = SubscriberExport(reader: reader, format: format)
      export.fields = settings.fields
      if consents { export.consents = reader }
      if links { export.link = try link(settings) }
      if let state { export.includes = { $0.state == state } }
      try await export.write(to: .standardOutput)
    }
  }

  /// Returns the function that makes the link of a subscriber.
  private func link(_ settings: Settings) throws -> @Sendable (Subscriber) -> String {
    guard let publicURL = settings.publicURL else {
      throw SettingError(
        setting: "--\(SettingTable.service.publicURL.name)",
        reason: "--links requires the URL with which the links begin: https://list.example.org")
    }
    let keys = try readMailKeys(settings)
    return { subscriber in
      let reference = SubscriberReference(
        id: subscriber.id, createdAt: subscriber.createdAt.millisecondsSince1970)
      return "\(publicURL)/unsubscribe/\(keys.token(of: reference).text)"
    }
  }

  private func readState() throws(ExitCode) -> Subscriber.State? {
    guard let text = state else { return nil }
    if let state = Subscriber.State.allCases.first(where: { $0.name == text }) { return state }
    let names = Subscriber.State.allCases.map(\.name).joined(separator: ", ")
    let error = SettingError(setting: "--state", value: text, reason: "expected one of \(names)")
    throw CommandFailure.exit(saying: error, code: 64)
  }

  /// Converts the format, whose default depends on the flag for consents.
  private func readFormat() throws(ExitCode) -> ExportFormat {
    guard let text = format else { return consents ? .ndjson : .csv }
    let reason: String
    switch ExportFormat(rawValue: text) {
    case .csv? where consents: reason = "--consents requires ndjson"
    case let format?: return format
    case nil: reason = "expected one of csv, ndjson"
    }
    let error = SettingError(setting: "--format", value: text, reason: reason)
    throw CommandFailure.exit(saying: error, code: 64)
  }
}
