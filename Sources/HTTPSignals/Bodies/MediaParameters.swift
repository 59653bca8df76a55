/// A value with parameters: `form-data; name="email"` (RFC 9110 §5.6.6).
struct MediaParameters {
  /// What stands in front, in lower case.
  let value: String
  private var parameters: [(name: String, value: String)] = []

  /// Reads the value of a field; what is not well-formed is left out.
  init(_ text: some StringProtocol) {
    var pieces = Self.pieces(text).map(Self.trimmed)
    value = pieces.isEmpty ? "" : pieces.removeFirst().lowercased()
    for piece in pieces {
      let halves = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard halves.count == 2 else { continue }
      parameters.append(
        (Self.trimmed(halves[0]).lowercased(), Self.unquoted(Self.trimmed(halves[1])))
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

  /// Splits at semicolons, but not within quotes.
  private static func pieces(_ text: some StringProtocol) -> [Substring] {
    let text = Substring(text)
    guard text.utf8.contains(UInt8(ascii: ";")) else { return [text] }
    var pieces: [Substring] = []
    var start = text.startIndex
    var isQuoted = false
    var isEscaped = false
    for index in text.utf8.indices {
      switch text.utf8[index] {
      case UInt8(ascii: "\\") where isQuoted && !isEscaped:
        isEscaped = true
        continue
      case UInt8(ascii: "\"") where !isEscaped: isQuoted.toggle()
      case UInt8(ascii: ";") where !isQuoted:
        pieces.append(text[start..<index])
        start = text.utf8.index(after: index)
      default: break
      }
      isEscaped = false
    }
    return pieces + [text[start...]]
  }

  private static func unquoted(_ text: Substring) -> String {
    let quote = UInt8(ascii: "\"")
    guard text.utf8.count >= 2, text.utf8.first == quote, text.utf8.last == quote else {
      return String(text)
    }
    var result = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in text.unicodeScalars.dropFirst().dropLast() {
      if scalar == "\\", !isEscaped {
        isEscaped = true
      } else {
        result.append(scalar)
        isEscaped = false
      }
    }
    return String(result)
  }

  private static func trimmed(_ text: Substring) -> Substring {
    guard let first = text.utf8.firstIndex(where: isVisible),
      let last = text.utf8.lastIndex(where: isVisible)
    else { return "" }
    return text[first..<text.utf8.index(after: last)]
  }

  private static func isVisible(_ octet: UInt8) -> Bool {
    octet != UInt8(ascii: " ") && octet != UInt8(ascii: "\t")
  }
}
