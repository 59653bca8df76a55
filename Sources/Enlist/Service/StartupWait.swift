internal import Foundation
internal import Glibc
internal import Logging
internal import Signals

/// A step of startup that may wait, for a lock or for a server, and that a signal ends at once.
enum StartupWait {
  /// Opens the database on a thread of its own.
  ///
  /// On SIGTERM or SIGINT the process exits with 0, whatever the thread is waiting for: a look-up of
  /// a host, for example, cannot be interrupted. The database is as after a crash, which it survives.
  static func run<Value: Sendable>(
    until termination: Termination,
    logger: Logger,
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let interruption = termination.signal.subscribe(next: { _ in
      logger.info("stopped before the database was open")
      LogOutput.standardError.flush()
      // Without handlers of `atexit`, which must not run next to the thread.
      _exit(0)
    })
    defer { interruption.dispose() }
    return try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
    }
  }
}
