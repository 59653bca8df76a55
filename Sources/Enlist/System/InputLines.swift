internal import Glibc

/// The lines of an open file as bytes; only LF ends a line.
struct InputLines {
  private let descriptor: Int32
  private let maximumCount: Int
  /// The number of bytes that have been read.
  private(set) var readCount = 0
  private var buffer = [UInt8](repeating: 0, count: 65_536)
  private var unread = 0..<0
  private var hasEnded = false

  /// Creates a reader of lines; bytes beyond the first `maximumCount` of a line are dropped.
  init(_ descriptor: Int32 = STDIN_FILENO, maximumCount: Int) {
    self.descriptor = descriptor
    self.maximumCount = maximumCount
  }

  /// Reads the next line without its LF; `nil` after the last line.
  ///
  /// The corresponding C function is `read`.
  ///
  /// - Throws: `InputError` if the file cannot be read.
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
      let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw InputError(errorNumber: errno) }
      hasEnded = count == 0
      readCount += count
      unread = 0..<count
    }
    return !unread.isEmpty
  }
}

/// A failure to read the input of a command.
struct InputError: Error, CustomStringConvertible {
  /// The value of `errno`.
  let errorNumber: Int32

  var description: String { "cannot read the input: \(SystemError.text(of: errorNumber))" }
}
