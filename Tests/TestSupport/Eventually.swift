internal import Glibc

/// The time that anything may take in a test, on a machine whose disk or processor pauses.
package let patience = Duration.seconds(30)

/// Blocks until a closure returns a value: for what the kernel or another process does, which cannot
/// notify the test.
///
/// - Parameters:
///   - what: What is missing if it does not.
///   - time: The time it may take.
///   - value: Returns the value; `nil` while it does not exist.
/// - Returns: The value.
/// - Throws: `TestSystemError.missing`, and any error of the closure.
@discardableResult
package func eventually<Value>(
  _ what: @autoclosure () -> String = "what the test waits for", within time: Duration = patience,
  value: () throws -> Value?
) throws -> Value {
  let end = ContinuousClock.now + time
  while true {
    if let value = try value() { return value }
    guard ContinuousClock.now < end else { throw TestSystemError.missing(what()) }
    pause(.milliseconds(2))
  }
}

/// Blocks until a condition is true, like the function above.
package func eventually(
  _ what: @autoclosure () -> String = "what the test waits for", within time: Duration = patience,
  condition: () throws -> Bool
) throws {
  try eventually(what(), within: time) { try condition() ? () : nil }
}

/// Waits until a condition is true that must be awaited.
package func eventually(
  _ what: @autoclosure () -> String = "what the test waits for", within time: Duration = patience,
  isolation: isolated (any Actor)? = #isolation, condition: () async throws -> Bool
) async throws {
  let end = ContinuousClock.now + time
  while try await !condition() {
    guard ContinuousClock.now < end else { throw TestSystemError.missing(what()) }
    try await Task.sleep(for: .milliseconds(2))
  }
}

/// Lets time pass, for a test that must be slow.
package func pause(_ time: Duration) {
  let end = ContinuousClock.now + time
  while ContinuousClock.now < end { poll(nil, 0, time.milliseconds) }
}

/// Blocks until a descriptor is ready or closed; the corresponding C function is `poll`.
///
/// - Parameters:
///   - events: `POLLIN` or `POLLOUT`.
///   - descriptor: The descriptor.
///   - time: The time it may take.
/// - Throws: `TestSystemError.timeout` after that time.
package func wait(
  for events: Int32 = POLLIN, of descriptor: Int32, within time: Duration
) throws(TestSystemError) {
  let end = ContinuousClock.now + time
  var waiting = pollfd(fd: descriptor, events: Int16(events), revents: 0)
  while true {
    let ready = poll(&waiting, 1, max(end - .now, .zero).milliseconds)
    if ready > 0 { return }
    if ready == 0 { throw .timeout }
    if errno != EINTR { throw .last("poll") }
  }
}

extension Duration {
  /// The time for `poll`, rounded up.
  fileprivate var milliseconds: Int32 {
    Int32(clamping: components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 + 1)
  }
}

/// A failure of a test helper.
package enum TestSystemError: Error, Hashable, Sendable {
  /// Nothing arrived in time.
  case timeout
  /// What did not happen.
  case missing(String)
  /// The peer closed the connection before all data arrived.
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
