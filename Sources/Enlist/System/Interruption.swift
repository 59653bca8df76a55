internal import Glibc
internal import SQLiteStorage
internal import Signals
internal import Synchronization

/// The operator's request to end a long-running command.
enum Interruption {
  private static let isRequested = Atomic(false)
  private static let observing = Signal.merge(.unixSignal(SIGINT), .unixSignal(SIGTERM))
    .subscribe(next: { _ in
      isRequested.store(true, ordering: .relaxed)
      StatementInterrupt.ofCommand.request()
    })

  /// Whether a command may proceed: `false` once SIGINT or SIGTERM has arrived.
  ///
  /// Until the first call, when a command has files to remove, both signals end the process.
  static var mayProceed: Bool {
    _ = observing
    return !isRequested.load(ordering: .relaxed)
  }
}
