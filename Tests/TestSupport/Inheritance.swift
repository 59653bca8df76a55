internal import Glibc
internal import Signals

/// A guard that keeps child processes of other tests from inheriting a test's descriptors.
///
/// Swift does not import the calls that create a close-on-exec descriptor (`pipe2`, `accept4`), so
/// creating a descriptor and starting a process exclude each other.
enum Inheritance {
  private static let lock = Lock<Void>(())

  /// Makes descriptors that no process inherits.
  ///
  /// - Parameter make: Makes the descriptors; must be quick, since no process can start meanwhile.
  /// - Returns: The descriptors.
  static func without(
    _ make: () throws(TestSystemError) -> [Int32]
  ) throws(TestSystemError) -> [Int32] {
    try lock.withLock { _ throws(TestSystemError) in
      let descriptors = try make()
      for descriptor in descriptors {
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else { throw .last("fcntl") }
      }
      return descriptors
    }
  }

  /// Starts a process that inherits none of these descriptors.
  ///
  /// - Parameter spawn: Starts the process.
  /// - Returns: The result of `spawn`.
  static func starting(_ spawn: () -> Int32) -> Int32 {
    lock.withLock { _ in spawn() }
  }
}
