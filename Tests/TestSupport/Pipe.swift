internal import Glibc

/// Creation of pipes that no process inherits.
package enum Pipe {
  /// The value of `F_SETPIPE_SZ`, a macro that Swift does not import.
  private static let setSize: Int32 = 1031

  /// Makes a pipe; the corresponding C function is `pipe`.
  ///
  /// - Parameter size: The capacity in bytes; `nil` uses the system's default.
  /// - Returns: The two ends, which the caller must close.
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
