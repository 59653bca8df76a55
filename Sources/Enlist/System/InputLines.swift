/// The lines of an open file; only LF ends a line, unless CR does, too.
struct InputLines {
  var bytes: InputBytes
  private let maximumCount: Int
  private let endsAtReturn: Bool

  /// Creates a reader of lines; bytes beyond the first `maximumCount` of a line are dropped.
  ///
  /// - Parameter endsAtReturn: Whether CR and CR LF end a line, too.
  init(_ bytes: InputBytes = InputBytes(), maximumCount: Int, endsAtReturn: Bool = false) {
    self.bytes = bytes
    self.maximumCount = maximumCount
    self.endsAtReturn = endsAtReturn
  }

  /// Reads the next line without its end; `nil` after the last line.
  mutating func next() throws(InputError) -> [UInt8]? {
    guard try bytes.peek() != nil else { return nil }
    var line: [UInt8] = []
    while let byte = try bytes.next(), byte != UInt8(ascii: "\n") {
      if endsAtReturn, byte == UInt8(ascii: "\r") {
        if try bytes.peek() == UInt8(ascii: "\n") { _ = try bytes.next() }
        break
      }
      if line.count < maximumCount { line.append(byte) }
    }
    return line
  }
}
