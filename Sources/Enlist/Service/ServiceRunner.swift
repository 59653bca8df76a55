internal import Security
internal import Logging
internal import MailingList
internal import Microhttpd

/// The service as a process, from its settings to a clean shutdown.
enum ServiceRunner {
  /// Runs until SIGTERM or SIGINT, then lets event streams finish and stores the accepted sign-ups.
  ///
  /// The identity is `nil` without TLS, the delivery if neither a relay nor a directory is set.
  static func run(
    _ settings: Settings, identity: TLSIdentity?, profile: ListProfile, delivery: MailDelivery?,
    warnings: [String], effective: [EffectiveSetting]
  ) async throws {
    ProcessSignals.ignoreWriteSignals()
    ProcessSignals.ignoreStraySignals()
    let logger = Log.bootstrap(settings)
    var settings = settings
    let limits = settings.fit(
      descriptors: DescriptorLimit.raise(), memoryBytes: MemoryLimit.inForce())
    let all = warnings + limits + settings.mailWarnings + settings.warnings(about: profile)
    for warning in all { logger.warning("\(warning)") }

    let composition = ServiceComposition(
      settings: settings, identity: identity, profile: profile,
      delivery: settings.effectiveOptIn.optIn == .double ? delivery : nil, effective: effective,
      termination: Termination(), logger: logger)
    try await composition.run()
    // The flush has a time limit, so a log without a reader does not delay the exit.
    LogOutput.standardError.flush()
  }
}
