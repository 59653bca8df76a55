internal import FoundationEssentials

/// Base64 with one text for each sequence of bytes (RFC 4648 §3.5).
///
/// Decoding rejects white space, foreign characters, missing or superfluous padding, and bits that
/// encode nothing.
enum Base64 {
  /// A set of 64 digits, and whether texts are padded.
  enum Alphabet {
    /// Base64 with padding (RFC 4648 §4).
    case standard
    /// Base64url without padding (RFC 4648 §5).
    case url
  }

  /// Returns the text of bytes.
  static func encode(_ bytes: [UInt8], _ alphabet: Alphabet) -> String {
    let text = Data(bytes).base64EncodedData()
    return switch alphabet {
    case .standard: String(decoding: text, as: UTF8.self)
    case .url:
      String(
        decoding: text.prefix { $0 != UInt8(ascii: "=") }.map { digit in
          switch digit {
          case UInt8(ascii: "+"): UInt8(ascii: "-")
          case UInt8(ascii: "/"): UInt8(ascii: "_")
          case let digit: digit
          }
        },
        as: UTF8.self
      )
    }
  }

  /// Returns the bytes of a text; `nil` if it is invalid.
  static func decode(_ text: some StringProtocol, _ alphabet: Alphabet) -> [UInt8]? {
    var standard = Array(text.utf8)
    switch alphabet {
    case .standard: break
    case .url:
      for index in standard.indices {
        switch standard[index] {
        case UInt8(ascii: "-"): standard[index] = UInt8(ascii: "+")
        case UInt8(ascii: "_"): standard[index] = UInt8(ascii: "/")
        default: break
        }
      }
      while !standard.count.isMultiple(of: 4) { standard.append(UInt8(ascii: "=")) }
    }
    let bytes = Data(base64Encoded: Data(standard)).map { [UInt8]($0) }
    // Other texts decode to the same bytes.
    guard let bytes, encode(bytes, alphabet) == text else { return nil }
    return bytes
  }
}
