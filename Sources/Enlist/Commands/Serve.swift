internal import ArgumentParser
internal import FoundationEssentials
internal import Logging
internal import MailingList
internal import Security

/// Runs the service until SIGTERM or SIGINT.
struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Run the service.",
    discussion: """
      Address: --listen, --public-url, --allowed-origins, --trusted-proxies
      List: --list-name, --list-description, --site-url, --logo, --consent-text
      Mail: --smtp-url, --mail-from, --opt-in, --mail-to-directory, --mail-footer
      Limits: --signup-rate, --max-connections, --max-streams, --max-body
      Storage: --database, --database-timeout, --secret-file
      Log: --log-level, --log-format
      --help-all explains these settings, and lists the rare ones. Each is a flag, a variable \
      (--max-body is ENLIST_MAX_BODY; ENLIST_MAX_BODY_FILE names a file with the value) and a key \
      of the JSON file of --config.
      """
  )

  @Flag(help: "Validate all settings, print them and their origins, and exit")
  var check = false
  @OptionGroup var flags: SettingFlags<AllSettings>

  func run() async throws {
    ThisProcess.ignoreWriteSignals()
    let sources = SettingSources(flags.texts)
    var warnings = sources.fileWarnings
    do {
      // A service starts with a misspelled variable, which --check rejects.
      if check, !sources.unknownVariables.isEmpty { throw SettingErrors(sources.unknownVariables) }
      warnings += sources.unknownVariables.map(\.description)
      let plan = try ServicePlan(sources, isCheck: check)
      warnings += plan.warnings
      if check {
        for warning in warnings { CommandFailure.warn(warning) }
        try OutputStream.standardOutput.write(line: plan.description)
      } else {
        let logger = Log.bootstrap(plan.settings)
        for warning in warnings { logger.warning("\(warning)") }
        try await Service(plan: plan, logger: logger).run()
      }
    } catch OutputError.closed where check {
      // A reader that closes the pipe early is not a failure.
    } catch {
      if error is SettingErrors { for warning in warnings { CommandFailure.warn(warning) } }
      throw CommandFailure.exit(with: error)
    }
  }
}

/// A service whose settings and files are valid, alone and together; nothing is open yet.
struct ServicePlan: CustomStringConvertible {
  private(set) var settings: Settings
  private(set) var identity: TLSIdentity?
  private(set) var profile = ListProfile(name: "")
  /// `nil` if neither a relay nor a directory is set.
  private(set) var delivery: MailDelivery?
  private(set) var warnings: [String] = []

  /// - Parameter isCheck: Whether the plan is only shown; otherwise the directory of mails is created
  ///   if all settings are valid.
  init(_ sources: SettingSources, isCheck: Bool) throws(SettingErrors) {
    settings = try Settings(sources)
    var errors = settings.conflicts
    func attempt(_ step: () throws(SettingError) -> Void) {
      do throws(SettingError) { try step() } catch { errors.append(error) }
    }
    attempt { () throws(SettingError) in identity = try settings.tlsIdentity() }
    attempt { () throws(SettingError) in
      profile = try settings.listProfile()
      delivery = try settings.mailDelivery(of: profile)
    }
    attempt { () throws(SettingError) in _ = try settings.webhookAuthorities() }
    if errors.isEmpty, !isCheck {
      attempt { () throws(SettingError) in try delivery?.createDirectory() }
    }
    guard errors.isEmpty else { throw SettingErrors(errors) }
    if isCheck, let expiry = identity?.expiry() { warnings.append(expiry.message) }
    warnings += settings.warnings(about: profile) + settings.mailWarnings
    warnings += settings.fit(
      descriptors: ThisProcess.raiseDescriptors(), memoryBytes: ThisProcess.memoryLimit)
    if settings.effectiveOptIn.optIn == .single { delivery = nil }
  }

  /// The settings, each with its source.
  var description: String {
    let (optIn, reason) = settings.effectiveOptIn
    let lines = settings.lines.map {
      LineText.escaped("\($0.name) = \($0.text) (\($0.source ?? "default"))")
    }
    return (lines + ["opt-in in force: \(optIn.rawValue) (\(reason))"]).joined(separator: "\n")
  }
}
