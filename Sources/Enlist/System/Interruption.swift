internal import Glibc
internal import Synchronization

/// The request of the operator to end a command that runs for long.
enum Interruption {
  private static let isRequested = Atomic(false)

  /// Whether SIGINT or SIGTERM has arrived since ``listen()``.
  static var hasArrived: Bool { isRequested.load(ordering: .relaxed) }

  /// Keeps SIGINT and SIGTERM from ending the process, so that the command can remove what is
  /// incomplete; the corresponding C function is `signal`.
  static func listen() {
    // Initializes the variable, which a signal handler must not do.
    isRequested.store(false, ordering: .relaxed)
    for number in [SIGINT, SIGTERM] {
      signal(number) { _ in Interruption.isRequested.store(true, ordering: .relaxed) }
    }
  }
}
