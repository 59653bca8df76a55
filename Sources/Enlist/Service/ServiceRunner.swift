internal import Logging
internal import Microhttpd
internal import ServiceLifecycle
internal import UnixSignals

/// The service as a process: from settings to a clean stop.
enum ServiceRunner {
  /// Runs until SIGTERM or SIGINT, then lets event streams end and stores what was accepted.
  ///
  /// - Parameters:
  ///   - settings: What the program was told.
  ///   - identity: With what it proves who it is; without it, it speaks no TLS.
  /// - Throws: Why the service did not start, or did not go on.
  static func run(_ settings: Settings, identity: TLSIdentity?) async throws {
    ProcessSignals.ignoreWriteSignals()
    ProcessSignals.ignoreStraySignals()
    let logger = Log.bootstrap(settings)
    var settings = settings
    for warning in settings.fit(
      descriptors: DescriptorLimit.raise(),
      memoryBytes: MemoryLimit.ofContainer()
    ) {
      logger.warning("\(warning)")
    }

    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [ServiceComposition(settings: settings, identity: identity, logger: logger)],
        gracefulShutdownSignals: [.sigterm, .sigint],
        logger: logger
      )
    )
    try await group.run()
    // Whoever does not read the log does not hold up the end.
    LogOutput.standardError.flush()
  }
}
