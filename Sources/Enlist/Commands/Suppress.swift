internal import ArgumentParser
internal import ListStorage
internal import MailingList

/// The `enlist suppress` command, which prevents addresses from getting mail.
struct Suppress: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Suppress addresses, so that they get no mail.",
    discussion: """
      An address that is not on the list is suppressed should it be signed up; a hard_bounce ends \
      when its owner confirms. If an address is invalid, nothing changes.
      """
  )

  @Argument(help: "Addresses to suppress; - reads them from standard input, one per line")
  var addresses: [String]
  @Option(help: "The reason: operator, complaint, objected or hard_bounce (default: operator)")
  var reason: String?
  @OptionGroup var database: DatabaseOptions
  @OptionGroup var secret: SecretOptions

  func run() throws {
    let settings = try readSettings()
    let reason = try readReason()
    try reportingErrors {
      let list = try AddressArguments.read(addresses, effect: "suppressed")
      let suppressor = try ListCommands(openAccess(settings), keyring: settings.secret)
      let results = try suppressor.suppress(list, reason, at: .now)
      suppressor.close()
      try OutputStream.standardOutput.write(line: Self.summary(of: results))
    }
  }

  private func readReason() throws(ExitCode) -> Suppression {
    guard let reason else { return .operator }
    if let known = Suppression.allCases.first(where: { $0.name == reason }) { return known }
    let error = SettingError(
      setting: "--reason", value: reason,
      reason: "expected one of operator, complaint, objected, hard_bounce")
    throw CommandFailure.exit(saying: error, code: 64)
  }

  /// Formats the line that the command prints, for example "suppressed 2 addresses, 1 of them not
  /// on the list".
  static func summary(of results: [SuppressionResult]) -> String {
    let unlisted = results.count { $0 == .unlisted }
    let already = results.count { $0 == .already }
    let changed = results.count - already
    var text = "suppressed \(changed) \(changed == 1 ? "address" : "addresses")"
    if unlisted > 0 { text += ", \(unlisted) of them not on the list" }
    if already > 0 { text += "; \(already) already suppressed" }
    return text
  }
}
