internal import HTTPSignals

/// Escaping of untrusted text for one line of output.
enum LineText {
  /// Escapes characters that end a line or control a terminal.
  ///
  /// C0 and C1 controls, DEL, line and paragraph separators and bidirectional controls are replaced
  /// by `\n`, `\r`, `\t` or `\u{…}`.
  static func escaped(_ text: some StringProtocol) -> String {
    guard text.unicodeScalars.contains(where: \.isUnfitForLine) else { return String(text) }
    var result = ""
    for scalar in text.unicodeScalars {
      guard scalar.isUnfitForLine else {
        result.unicodeScalars.append(scalar)
        continue
      }
      switch scalar {
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default: result += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
    return result
  }

  /// Formats text as a JSON string (RFC 8259 §7), including its quotes.
  static func quoted(_ text: String) -> String {
    var json = JSONText(escaping: .line)
    json.string(text)
    return String(decoding: json.bytes, as: UTF8.self)
  }
}
