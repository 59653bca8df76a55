internal import Glibc

/// A system call on a file that failed.
package struct FileSystemError: Error, Hashable, Sendable {
  /// What was to be done with the file, such as `create`.
  package let action: String
  /// The path of the file.
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
