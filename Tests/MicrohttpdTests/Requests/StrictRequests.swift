/// A parser that accepts only requests that follow RFC 9112.
///
/// It shares no code with the server, so a test can compare the two.
struct StrictRequests {
  private var rest: ArraySlice<UInt8>

  /// Returns the targets of all requests before the first malformed or incomplete one.
  static func targets(in bytes: [UInt8]) -> [String] {
    var requests = StrictRequests(rest: bytes[...])
    // libmicrohttpd skips lines that begin with NUL; before the first request they hide nothing.
    while requests.rest.first == 0, requests.line() != nil {}
    var targets: [String] = []
    while let target = requests.request() { targets.append(target) }
    return targets
  }

  /// Reads a line that ends with `CR LF`; returns `nil` for any other line ending.
  private mutating func line() -> ArraySlice<UInt8>? {
    guard let end = rest.firstIndex(of: 0x0A), end > rest.startIndex, rest[end - 1] == 0x0D else {
      return nil
    }
    let line = rest[..<(end - 1)]
    rest = rest[(end + 1)...]
    return line
  }

  private static func isText(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.allSatisfy { $0 == 9 || $0 >= 0x20 && $0 != 0x7F }
  }

  private static func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
    let others = Array("!#$%&'*+-.^_`|~".utf8)
    return !bytes.isEmpty
      && bytes.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
          || (0x61...0x7A).contains(byte) || others.contains(byte)
      }
  }

  private mutating func fields() -> [(name: String, value: String)]? {
    var fields: [(String, String)] = []
    while let line = line() {
      if line.isEmpty { return fields }
      guard let colon = line.firstIndex(of: 0x3A), Self.isToken(line[..<colon]), Self.isText(line)
      else { return nil }
      let value = String(decoding: line[(colon + 1)...], as: UTF8.self)
      fields.append(
        (
          String(decoding: line[..<colon], as: UTF8.self).lowercased(),
          String(value.drop { $0 == " " || $0 == "\t" })
        ))
    }
    return nil
  }

  private mutating func request() -> String? {
    while rest.first == 0x0A || rest.starts(with: [0x0D, 0x0A]) {
      rest = rest.dropFirst(rest.first == 0x0A ? 1 : 2)
    }
    guard let first = line(), Self.isText(first) else { return nil }
    let words = first.split(separator: 0x20, omittingEmptySubsequences: false)
    guard words.count == 3, Self.isToken(words[0]), words[2].starts(with: Array("HTTP/1.".utf8)),
      let fields = fields()
    else { return nil }
    let lengths = fields.filter { $0.name == "content-length" }
    let encodings = fields.filter { $0.name == "transfer-encoding" }
    guard lengths.count + encodings.count <= 1 else { return nil }
    if let encoding = encodings.first {
      guard encoding.value.lowercased() == "chunked", skipChunks() else { return nil }
    } else if let length = lengths.first {
      guard !length.value.isEmpty, length.value.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let count = Int(length.value), count <= rest.count
      else { return nil }
      rest = rest.dropFirst(count)
    }
    return String(decoding: words[1], as: UTF8.self)
  }

  private mutating func skipChunks() -> Bool {
    while let line = line() {
      let digits = line.prefix { $0 != 0x3B }
      let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
      guard Self.isText(line), let size, size >= 0, digits.first != 0x2B else { return false }
      if size == 0 { return fields() != nil }
      guard size < rest.count else { return false }
      rest = rest.dropFirst(size)
      guard rest.starts(with: [0x0D, 0x0A]) else { return false }
      rest = rest.dropFirst(2)
    }
    return false
  }
}
