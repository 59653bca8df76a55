/// Escaping of untrusted text for one line of output.
enum LineText {
  /// Escapes characters that end a line or control a terminal.
  ///
  /// - Parameter text: Any text.
  /// - Returns: The text with C0 and C1 controls, DEL, line and paragraph separators and
  ///   bidirectional controls replaced by `\n`, `\r`, `\t` or `\u{…}`.
  static func escaped(_ text: some StringProtocol) -> String {
    guard text.unicodeScalars.contains(where: isUnfit) else { return String(text) }
    var result = ""
    for scalar in text.unicodeScalars {
      guard isUnfit(scalar) else {
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
  ///
  /// - Parameter text: Any text.
  /// - Returns: The string, on one line.
  static func json(_ text: some StringProtocol) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default:
        if isUnfit(scalar) {
          let digits = String(scalar.value, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result + "\""
  }

  /// Returns whether a scalar ends a line or controls a terminal; all of these are below U+10000.
  private static func isUnfit(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
