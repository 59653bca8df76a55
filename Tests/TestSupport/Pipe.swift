internal import Glibc

/// Pipes that no process inherits.
package enum Pipe {
  /// `F_SETPIPE_SZ`, a macro that Swift does not see.
  private static let setSize: Int32 = 1031

  /// Makes a pipe; the corresponding C function is `pipe`.
  ///
  /// - Parameter size: How many bytes it holds until somebody reads; `nil` leaves it to the system.
  /// - Returns: Its two ends, which are the caller's to close.
  /// - Throws: `TestSystemError`.
  package static func make(
    size: Int32? = nil
  ) throws(TestSystemError) -> (readEnd: Int32, writeEnd: Int32) {
    let ends = try Inheritance.without { () throws(TestSystemError) in
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { throw .last("pipe") }
      return ends
    }
    if let size {
      guard fcntl(ends[1], setSize, size) >= 0 else { throw .last("fcntl") }
    }
    return (ends[0], ends[1])
  }
}
