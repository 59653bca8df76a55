internal import Glibc

/// The moment by which something must have happened in a test.
package struct Deadline: Sendable {
  /// Ten seconds from now: long enough for a busy machine, short enough for a person.
  package static var soon: Deadline { Deadline(after: .seconds(10)) }

  private let moment: ContinuousClock.Instant

  /// Makes a deadline.
  ///
  /// - Parameter time: How long from now.
  package init(after time: Duration) {
    moment = ContinuousClock.now + time
  }

  /// What is left as `poll` counts it: in milliseconds, 0 once it has passed.
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

/// Why a helper of the tests could not go on.
package enum TestSystemError: Error, Hashable, Sendable {
  /// What was waited for did not happen in time.
  case timeout
  /// The other side closed the connection, or the process its output, before all had come.
  case closed
  /// What came is not what the protocol says.
  case malformed(String)
  /// A call of the system failed.
  case system(String, errno: Int32)

  /// The failure of the call that was just made.
  static func last(_ function: String) -> TestSystemError {
    .system(function, errno: errno)
  }
}
