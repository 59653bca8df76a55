internal import Glibc

/// A time by which something must have happened in a test.
package struct Deadline: Sendable {
  /// A deadline in ten seconds: long enough for a busy machine, short enough for a person.
  package static var soon: Deadline { Deadline(after: .seconds(10)) }

  private let moment: ContinuousClock.Instant

  /// Makes a deadline.
  ///
  /// - Parameter time: The time from now.
  package init(after time: Duration) {
    moment = ContinuousClock.now + time
  }

  /// The remaining time for `poll`, in milliseconds; 0 after the deadline.
  package var milliseconds: Int32 {
    let left = moment - ContinuousClock.now
    guard left > .zero else { return 0 }
    let parts = left.components
    return Int32(clamping: parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000 + 1)
  }

  /// Waits until a descriptor is ready or closed; the corresponding C function is `poll`.
  func wait(for descriptors: inout [pollfd]) throws(TestSystemError) {
    while true {
      let ready = poll(&descriptors, nfds_t(descriptors.count), milliseconds)
      if ready > 0 { return }
      if ready == 0 { throw .timeout }
      if errno != EINTR { throw .last("poll") }
    }
  }
}

/// A failure of a test helper.
package enum TestSystemError: Error, Hashable, Sendable {
  /// The deadline passed.
  case timeout
  /// The peer closed the connection, or the process its output, before all data arrived.
  case closed
  /// The received data violates the protocol.
  case malformed(String)
  /// A system call failed.
  case system(String, errno: Int32)

  /// Returns the error of the last system call.
  static func last(_ function: String) -> TestSystemError {
    .system(function, errno: errno)
  }
}
