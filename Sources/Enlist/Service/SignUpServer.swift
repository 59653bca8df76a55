internal import Logging
internal import MailingList
internal import ServiceLifecycle

/// What runs between the first connection and the last.
struct SignUpServer: ServiceLifecycle.Service {
  /// What the program was told.
  let settings: Settings
  /// The program's log.
  let logger: Logger

  func run() async throws {
    let store = try openStore(settings)
    // The daemon is started here; it tells the port that the system picked.
    try announce(settings.listen)
    try await gracefulShutdown()
    // The command is disabled and streams end here, within `settings.drain`.
    await store.close().end()
  }

  /// Says, in the only line on standard output, that connections are accepted.
  private func announce(_ address: ListenAddress) throws(OutputError) {
    try OutputStream.standardOutput.write(line: "listening on http://\(address)")
  }
}
