internal import Glibc

/// The bytes or lines of an open file, read through a buffer.
struct InputBytes {
  private let descriptor: Int32
  /// The place of the first byte in the file; `nil` for a pipe.
  private let start: Int?
  private(set) var readCount = 0
  /// The number of the current line, from 1; LF, CR and CR LF end a line.
  private(set) var line = 1
  private var buffer = [UInt8](repeating: 0, count: 65_536)
  private var unread = 0..<0
  private var hasEnded = false

  init(_ descriptor: Int32 = STDIN_FILENO) {
    self.descriptor = descriptor
    let offset = lseek(descriptor, 0, SEEK_CUR)
    start = offset < 0 ? nil : offset
  }

  /// Prepares to read the bytes more than once: those of a pipe are held in memory, so that no
  /// addresses are left on a disk.
  mutating func hold() throws(InputError) {
    guard start == nil else { return }
    var bytes: [UInt8] = []
    while try peek() != nil {
      bytes += buffer[unread]
      unread = 0..<0
    }
    buffer = bytes
    unread = bytes.indices
  }

  /// Returns the first bytes that have not been read, some 64 KiB of a file.
  mutating func beginning() throws(InputError) -> ArraySlice<UInt8> {
    _ = try peek()
    return buffer[unread]
  }

  /// Reads the next byte; `nil` after the last.
  mutating func next() throws(InputError) -> UInt8? {
    guard let byte = try peek() else { return nil }
    unread = (unread.lowerBound + 1)..<unread.upperBound
    if byte == UInt8(ascii: "\n") {
      line += 1
    } else if byte == UInt8(ascii: "\r"), try peek() != UInt8(ascii: "\n") {
      line += 1
    }
    return byte
  }

  /// Reads a line without its end, LF; `nil` after the last.
  ///
  /// - Parameters:
  ///   - maximumCount: The number of bytes that are kept; those after them are dropped.
  ///   - endsAtReturn: Whether CR and CR LF end a line, too.
  mutating func nextLine(
    maximumCount: Int, endsAtReturn: Bool = false
  ) throws(InputError) -> [UInt8]? {
    guard try peek() != nil else { return nil }
    var line: [UInt8] = []
    while let byte = try next(), byte != UInt8(ascii: "\n") {
      if endsAtReturn, byte == UInt8(ascii: "\r") {
        if try peek() == UInt8(ascii: "\n") { _ = try next() }
        break
      }
      if line.count < maximumCount { line.append(byte) }
    }
    return line
  }

  /// Returns the next byte without reading it.
  mutating func peek() throws(InputError) -> UInt8? {
    while unread.isEmpty, !hasEnded {
      let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw InputError(errorNumber: errno) }
      hasEnded = count == 0
      readCount += count
      unread = 0..<count
    }
    return unread.isEmpty ? nil : buffer[unread.lowerBound]
  }

  /// Goes back to a byte, where line 1 begins; a pipe must be held.
  mutating func rewind(to offset: Int) throws(InputError) {
    line = 1
    guard let start else {
      unread = offset..<buffer.count
      return
    }
    guard lseek(descriptor, start + offset, SEEK_SET) >= 0 else {
      throw InputError(errorNumber: errno)
    }
    (readCount, unread, hasEnded) = (0, 0..<0, false)
  }
}

/// A failure to read the input of a command.
struct InputError: Error, CustomStringConvertible {
  /// The value of `errno`.
  let errorNumber: Int32

  var description: String { "cannot read the input: \(SystemError.text(of: errorNumber))" }
}
