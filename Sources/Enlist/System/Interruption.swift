internal import Dispatch
internal import Glibc
internal import Signals
internal import SQLiteStorage
internal import Synchronization

/// The operator's request to end a long-running command.
enum Interruption {
  private static let isRequested = Atomic(false)
  private static let sources = Lock<[any DispatchSourceSignal]>([])

  /// Whether a command may proceed: `false` once SIGINT or SIGTERM has arrived.
  ///
  /// Until the first call, both signals end the process. A command first reads this property when
  /// it has files to remove at its end, so earlier waits do not delay its end.
  static var mayProceed: Bool {
    sources.withLock { sources in
      if sources.isEmpty { sources = [SIGINT, SIGTERM].map(listen) }
    }
    return !isRequested.load(ordering: .relaxed)
  }

  private static func listen(to number: Int32) -> any DispatchSourceSignal {
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler {
      isRequested.store(true, ordering: .relaxed)
      StatementInterrupt.ofCommand.request()
    }
    // Until the source is registered, the signal ends the process.
    let isRegistered = DispatchSemaphore(value: 0)
    source.setRegistrationHandler { isRegistered.signal() }
    source.resume()
    isRegistered.wait()
    return source
  }
}
