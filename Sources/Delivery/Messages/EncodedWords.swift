internal import FoundationEssentials

/// Encoded words, which carry non-ASCII text in a header field (RFC 2047).
enum EncodedWords {
  /// The maximum number of bytes of a line with an encoded word.
  private static let maximumLineBytes = 76
  /// The number of bytes around the base64 of an encoded word: `=?UTF-8?B?` and `?=`.
  private static let frameBytes = 12

  /// Encodes text as folded words in B encoding, each of which decodes independently.
  ///
  /// - Parameters:
  ///   - text: The text, without controls.
  ///   - used: The number of bytes before the text in its line, at most 50.
  /// - Returns: Words of at most 75 characters, separated by CRLF and a space.
  static func encode(_ text: String, after used: Int) -> String {
    var words: [String] = []
    var chunk: [UInt8] = []
    var room = room(after: used)
    for scalar in text.unicodeScalars {
      let bytes = Array(scalar.utf8)
      if chunk.count + bytes.count > room {
        words.append(word(chunk))
        chunk.removeAll()
        room = self.room(after: 1)
      }
      chunk += bytes
    }
    if !chunk.isEmpty { words.append(word(chunk)) }
    return words.joined(separator: "\r\n ")
  }

  /// The maximum number of bytes whose encoded word fits into the rest of a line.
  private static func room(after used: Int) -> Int {
    (maximumLineBytes - used - frameBytes) / 4 * 3
  }

  private static func word(_ bytes: [UInt8]) -> String {
    "=?UTF-8?B?\(Data(bytes).base64EncodedString())?="
  }
}
