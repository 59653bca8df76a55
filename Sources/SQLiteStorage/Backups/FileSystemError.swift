internal import Glibc

/// A failed system call on a file.
package struct FileSystemError: Error, Hashable, Sendable {
  /// The failed action, such as `create`.
  package let action: String
  package let path: String
  /// The value of `errno`.
  package let code: Int32

  /// Records the error of the last system call.
  init(_ action: String, _ path: String, code: Int32 = errno) {
    self.action = action
    self.path = path
    self.code = code
  }
}

extension FileSystemError: CustomStringConvertible {
  /// A sentence for the operator.
  package var description: String {
    "Cannot \(action) \(path): \(String(cString: strerror(code)))."
  }
}
