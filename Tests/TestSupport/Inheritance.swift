internal import Glibc
internal import Locks

/// Keeps descriptors of the tests from the processes that other tests start at the same time.
///
/// Swift does not see the calls that make a descriptor which is closed on `exec` from the start
/// (`pipe2`, `accept4`), so making one and starting a process exclude each other.
enum Inheritance {
  private static let lock = Lock<Void>(())

  /// Makes descriptors that no process inherits.
  ///
  /// - Parameter make: Makes them; quick, since no process can be started meanwhile.
  /// - Returns: The descriptors.
  /// - Throws: What `make` throws, or that they could not be marked.
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

  /// Starts a process, which inherits none of them.
  ///
  /// - Parameter spawn: Starts it.
  /// - Returns: What `spawn` returns.
  static func starting(_ spawn: () -> Int32) -> Int32 {
    lock.withLock { _ in spawn() }
  }
}
