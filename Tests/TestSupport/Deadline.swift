internal import Glibc

/// A time by which something must have happened in a test.
package struct Deadline: Sendable {
  /// A deadline in thirty seconds: long enough for a machine whose disk or processor pauses, short
  /// enough for a person.
  package static var soon: Deadline { Deadline(after: .seconds(30)) }

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

  /// Whether the deadline has passed.
  package var hasPassed: Bool { milliseconds == 0 }

  /// Blocks until a condition is true, and checks it every two milliseconds.
  ///
  /// For events in the kernel or in another process, which cannot notify the test.
  ///
  /// - Parameters:
  ///   - failure: The error to throw after the deadline.
  ///   - condition: The condition; it is checked at least once.
  /// - Throws: `failure` after the deadline, and any error of the condition.
  package func wait(
    orThrow failure: @autoclosure () -> TestSystemError = .timeout,
    until condition: () throws -> Bool
  ) throws {
    while try !condition() {
      guard !hasPassed else { throw failure() }
      Deadline(after: .milliseconds(2)).pass()
    }
  }

  /// Blocks until a closure returns a value, and calls it every two milliseconds.
  ///
  /// - Parameter make: Returns the value; `nil` while it does not exist.
  /// - Returns: The value.
  /// - Throws: `TestSystemError.timeout` after the deadline, and any error of the closure.
  package func value<Value>(of make: () throws -> Value?) throws -> Value {
    while true {
      if let value = try make() { return value }
      guard !hasPassed else { throw TestSystemError.timeout }
      Deadline(after: .milliseconds(2)).pass()
    }
  }

  /// Blocks until the deadline, for a test that must be slow; the corresponding C function is
  /// `poll`.
  package func pass() {
    while !hasPassed { poll(nil, 0, milliseconds) }
  }

  /// Blocks until a descriptor can be read or is closed; the corresponding C function is `poll`.
  ///
  /// - Parameter descriptor: The descriptor.
  /// - Throws: `TestSystemError.timeout` after the deadline.
  package func wait(toRead descriptor: Int32) throws(TestSystemError) {
    var descriptors = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
    try wait(for: &descriptors)
  }

  /// Blocks until a descriptor is ready or closed; the corresponding C function is `poll`.
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
