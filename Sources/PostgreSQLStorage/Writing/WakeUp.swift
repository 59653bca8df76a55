internal import CLibpq
internal import Glibc

/// A descriptor that a thread polls next to its socket, and that other threads make readable.
///
/// The corresponding C function is `eventfd`.
final class WakeUp: Sendable {
  /// The descriptor for `poll`; negative, which `poll` ignores, if the system had none left.
  let descriptor: Int32

  /// Creates a descriptor that cannot be read yet.
  init() {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Ends the wait of the thread, or its next one.
  func signal() {
    eventfd_write(descriptor, 1)
  }

  /// Makes the descriptor unreadable; called by the thread before it looks for work.
  func clear() {
    var count: eventfd_t = 0
    eventfd_read(descriptor, &count)
  }

  /// How long the thread waits at most: without a descriptor it has to look for work again and
  /// again.
  var longestWait: Duration { descriptor >= 0 ? .seconds(3600) : .milliseconds(20) }
}
