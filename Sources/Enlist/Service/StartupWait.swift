internal import Glibc
internal import Logging
internal import Signals
internal import Platform

/// A step of startup that may wait for a lock or for a server, and that a signal ends immediately.
enum StartupWait {
  /// Opens the database on a separate thread.
  ///
  /// On SIGTERM or SIGINT the process exits with 0 while the thread may still be waiting, because a
  /// host look-up, for example, cannot be interrupted. The database is in the same state as after a
  /// crash, which it survives.
  static func run<Value: Sendable>(
    until termination: Termination, logger: Logger, _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let interruption = termination.signal.subscribe(next: { _ in
      logger.info("stopped before the database was open")
      LogOutput.standardError.flush()
      // Not `exit`: handlers of `atexit` must not run while the thread is running.
      _exit(0)
    })
    defer { interruption.dispose() }
    return try await withCheckedThrowingContinuation { continuation in
      let open: @Sendable () -> Void = { continuation.resume(with: Result(catching: body)) }
      // If the system has no thread left, the store opens here, and a signal waits for it.
      if !NamedThread.start("store-opening", open) { open() }
    }
  }
}
