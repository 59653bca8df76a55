internal import ArgumentParser
internal import FoundationEssentials
internal import Security
internal import MailingList
internal import Microhttpd

/// The `enlist serve` command, which runs the service until a Unix signal ends it.
struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
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
  @OptionGroup var listen: ListenOptions
  @OptionGroup var publicURL: PublicURLOptions
  @OptionGroup var list: ListOptions
  @OptionGroup var database: DatabaseOptions
  @OptionGroup var email: EmailOptions
  @OptionGroup var service: ServiceOptions
  @OptionGroup var streams: StreamOptions
  @OptionGroup var operatorListener: OperatorOptions
  @OptionGroup var webhooks: WebhookOptions
  @OptionGroup var mail: MailOptions
  @OptionGroup var consents: ConsentOptions
  @OptionGroup var secret: SecretOptions

  func run() async throws {
    if check { return try checkSettings() }
    let layers = try readLayers()
    let settings: Settings
    let identity: TLSIdentity?
    let profile: ListProfile
    let delivery: MailDelivery?
    do throws(SettingError) {
      settings = try Settings(layers)
      identity = try settings.tlsIdentity()
      profile = try settings.listProfile()
      delivery = try settings.mailDelivery(of: profile)
    } catch {
      // A misspelled variable is often the reason for the error.
      for warning in layers.warnings { CommandFailure.warn(warning) }
      throw CommandFailure.exit(saying: error, code: 64)
    }
    do {
      try await ServiceRunner.run(
        settings, identity: identity, profile: profile, delivery: delivery,
        warnings: layers.warnings,
        effective: SettingTable.rows.compactMap { try? layers.effective($0) })
    } catch {
      throw CommandFailure.exit(saying: "\(error)", code: CommandFailure.serverCode(of: error))
    }
  }

  /// Prints the effective settings, or every invalid one.
  private func checkSettings() throws(ExitCode) {
    ProcessSignals.ignoreWriteSignals()
    let check = SettingsCheck(
      try readLayers(), descriptors: DescriptorLimit.raise(), memoryBytes: MemoryLimit.inForce(),
      at: Int(Date().timeIntervalSince1970))
    for warning in check.warnings { CommandFailure.warn(warning) }
    if let last = check.errors.last {
      for error in check.errors.dropLast() {
        _ = CommandFailure.exit(saying: error, code: 64)
      }
      throw CommandFailure.exit(saying: last, code: 64)
    }
    do throws(OutputError) {
      try OutputStream.standardOutput.write(line: check.lines.joined(separator: "\n"))
    } catch {
      // Without a reader, the exit code reports the result.
      if error != .closed { throw CommandFailure.exit(saying: error) }
    }
  }
}
