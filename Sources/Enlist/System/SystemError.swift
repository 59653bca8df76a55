internal import Glibc

/// What the system says about its error codes.
enum SystemError {
  /// Tells what a code means; the corresponding C function is `strerror_r`.
  ///
  /// - Parameter code: A value of `errno`.
  /// - Returns: A few words.
  static func text(of code: Int32) -> String {
    var words = [CChar](repeating: 0, count: 128)
    strerror_r(code, &words, words.count)
    return String(decoding: words.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
