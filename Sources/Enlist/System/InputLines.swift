/// The lines of an open file; LF, CR and CR LF end a line.
struct InputLines {
  var bytes: InputBytes
  private let maximumCount: Int

  /// Creates a reader of lines; bytes beyond the first `maximumCount` of a line are dropped.
  init(_ bytes: InputBytes = InputBytes(), maximumCount: Int) {
    self.bytes = bytes
    self.maximumCount = maximumCount
  }

  /// Reads the next line without its end; `nil` after the last line.
  mutating func next() throws(InputError) -> [UInt8]? {
    guard try bytes.peek() != nil else { return nil }
    var line: [UInt8] = []
    let number = bytes.line
    while let byte = try bytes.next() {
      if bytes.line > number { break }
      if line.count < maximumCount { line.append(byte) }
    }
    // The first byte of CR LF is not the end of the line yet.
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    return line
  }
}
