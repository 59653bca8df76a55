extension JSONText {
  /// Formats a string so that it stays on one line and does not control a terminal.
  static func line(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default:
        if scalar.isUnfitForLine {
          let digits = String(scalar.value, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result + "\""
  }
}

extension Unicode.Scalar {
  /// Whether the scalar ends a line or controls a terminal: C0 and C1 controls, DEL, line and
  /// paragraph separators, and bidirectional controls; all of these are below U+10000.
  package var isUnfitForLine: Bool {
    switch value {
    case 0..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
