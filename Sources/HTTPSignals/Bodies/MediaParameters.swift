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
    var pieces: [Substring] = []
    let text = Substring(text)
    var start = text.startIndex
    var isQuoted = false
    var isEscaped = false
    for index in text.indices {
      switch text[index] {
      case "\\" where isQuoted && !isEscaped:
        isEscaped = true
        continue
      case "\"" where !isEscaped: isQuoted.toggle()
      case ";" where !isQuoted:
        pieces.append(text[start..<index])
        start = text.index(after: index)
      default: break
      }
      isEscaped = false
    }
    return pieces + [text[start...]]
  }

  private static func unquoted(_ text: Substring) -> String {
    guard text.count >= 2, text.first == "\"", text.last == "\"" else { return String(text) }
    var result = ""
    var isEscaped = false
    for character in text.dropFirst().dropLast() {
      if character == "\\", !isEscaped {
        isEscaped = true
      } else {
        result.append(character)
        isEscaped = false
      }
    }
    return result
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while text.first == " " || text.first == "\t" { text.removeFirst() }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return text
  }
}
