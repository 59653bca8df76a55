internal import CLibpq
internal import Glibc

/// A descriptor that a thread polls together with its socket, and that other threads make readable.
///
/// The corresponding C function is `eventfd`.
final class WakeUp: Sendable {
  /// The descriptor for `poll`; negative, and therefore ignored by `poll`, if the system had none
  /// left.
  let descriptor: Int32

  init() {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Ends the current or next wait of the thread.
  func signal() {
    eventfd_write(descriptor, 1)
  }

  /// Makes the descriptor unreadable; the thread calls this function before it takes work.
  func clear() {
    var count: eventfd_t = 0
    eventfd_read(descriptor, &count)
  }

  /// The maximum wait of the thread, which is short without a descriptor.
  var longestWait: Duration { descriptor >= 0 ? .seconds(3600) : .milliseconds(20) }
}
