/// A value with parameters: `form-data; name="email"` (RFC 9110 §5.6.6).
struct MediaParameters {
  /// How many parameters there may be; no media type has more.
  static let maximumCount = 16

  /// What stands in front, in lower case.
  let value: String
  private var parameters: [(name: String, value: String)] = []

  /// Reads the value of a field; what is not well-formed is left out.
  ///
  /// It is `nil` when there are more parameters than there may be.
  ///
  /// - Parameter octets: The value.
  init?(_ octets: UnsafeBufferPointer<UInt8>) {
    var start = 0
    var end = Self.endOfPiece(in: octets, from: start)
    value = Self.text(Self.trimmed(octets[start..<end])).lowercased()
    var count = 0
    while end < octets.count {
      count += 1
      guard count <= Self.maximumCount else { return nil }
      start = end + 1
      end = Self.endOfPiece(in: octets, from: start)
      let piece = octets[start..<end]
      guard let separator = piece.firstIndex(of: UInt8(ascii: "=")) else { continue }
      parameters.append(
        (
          Self.text(Self.trimmed(piece[..<separator])).lowercased(),
          Self.unquoted(Self.trimmed(piece[(separator + 1)...]))
        )
      )
    }
  }

  /// The first parameter of a name.
  subscript(name: String) -> String? {
    parameters.first { $0.name == name }?.value
  }

  /// All parameters of a name.
  func values(of name: String) -> [String] {
    parameters.filter { $0.name == name }.map(\.value)
  }

  /// Where the next semicolon is that is not within quotes, or the end.
  private static func endOfPiece(in octets: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var isQuoted = false
    var index = start
    while index < octets.count {
      switch octets[index] {
      case UInt8(ascii: "\\") where isQuoted: index += 1
      case UInt8(ascii: "\""): isQuoted.toggle()
      case UInt8(ascii: ";") where !isQuoted: return index
      default: break
      }
      index += 1
    }
    return octets.count
  }

  private typealias Octets = Slice<UnsafeBufferPointer<UInt8>>

  private static func text(_ octets: Octets) -> String {
    String(decoding: octets, as: UTF8.self)
  }

  private static func unquoted(_ octets: Octets) -> String {
    let quote = UInt8(ascii: "\"")
    guard octets.count >= 2, octets.first == quote, octets.last == quote else {
      return text(octets)
    }
    var result: [UInt8] = []
    result.reserveCapacity(octets.count)
    var isEscaped = false
    for octet in octets.dropFirst().dropLast() {
      if octet == UInt8(ascii: "\\"), !isEscaped {
        isEscaped = true
      } else {
        result.append(octet)
        isEscaped = false
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func trimmed(_ octets: Octets) -> Octets {
    guard let first = octets.firstIndex(where: isVisible),
      let last = octets.lastIndex(where: isVisible)
    else { return octets[octets.endIndex...] }
    return octets[first...last]
  }

  private static func isVisible(_ octet: UInt8) -> Bool {
    octet != UInt8(ascii: " ") && octet != UInt8(ascii: "\t")
  }
}
