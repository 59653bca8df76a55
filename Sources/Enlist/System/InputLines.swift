internal import Glibc

/// The lines of standard input as bytes; only LF ends a line.
struct InputLines {
  private let maximumCount: Int
  private var buffer = [UInt8](repeating: 0, count: 65_536)
  private var unread = 0..<0
  private var hasEnded = false

  /// Creates a reader of lines; bytes beyond the first `maximumCount` of a line are dropped.
  init(maximumCount: Int) {
    self.maximumCount = maximumCount
  }

  /// Reads the next line without its LF; `nil` after the last line.
  ///
  /// The corresponding C function is `read`.
  ///
  /// - Throws: `InputError` if standard input cannot be read.
  mutating func next() throws(InputError) -> [UInt8]? {
    var line: [UInt8] = []
    var isEmpty = true
    while try fill() {
      isEmpty = false
      let end = buffer[unread].firstIndex(of: UInt8(ascii: "\n"))
      let part = buffer[unread.lowerBound..<(end ?? unread.upperBound)]
      line += part.prefix(maximumCount - line.count)
      unread = (end.map { $0 + 1 } ?? unread.upperBound)..<unread.upperBound
      if end != nil { return line }
    }
    return isEmpty ? nil : line
  }

  /// Fills the buffer if it is empty, and returns whether there are bytes to read.
  private mutating func fill() throws(InputError) -> Bool {
    while unread.isEmpty, !hasEnded {
      let count = buffer.withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw InputError(errorNumber: errno) }
      hasEnded = count == 0
      unread = 0..<count
    }
    return !unread.isEmpty
  }
}

/// A failure to read standard input.
struct InputError: Error, CustomStringConvertible {
  /// The value of `errno`.
  let errorNumber: Int32

  var description: String { "cannot read standard input: \(SystemError.text(of: errorNumber))" }
}
