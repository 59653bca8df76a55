internal import Glibc
internal import Platform

/// The system's descriptions of its error codes.
enum SystemError {
  /// Returns the description of an error code.
  ///
  /// The corresponding C function is `strerror_r`.
  static func text(of code: Int32) -> String {
    var words = [CChar](repeating: 0, count: 128)
    strerror_r(code, &words, words.count)
    return String(cBuffer: words)
  }
}
