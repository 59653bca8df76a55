internal import Foundation

/// Encoded words: text other than ASCII in a header field (RFC 2047).
enum EncodedWords {
  /// The maximum number of bytes of a line with an encoded word.
  private static let maximumLineBytes = 76
  /// The bytes of an encoded word around its base64: `=?UTF-8?B?` and `?=`.
  private static let frameBytes = 12

  /// Encodes text in B encoding, in words that are folded and decode on their own.
  ///
  /// - Parameters:
  ///   - text: The text, without controls.
  ///   - used: The number of bytes before it in its line, at most 50.
  /// - Returns: Words of at most 75 characters, with CRLF and a space between.
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

  /// The number of bytes whose encoded word fits into the rest of a line.
  private static func room(after used: Int) -> Int {
    (maximumLineBytes - used - frameBytes) / 4 * 3
  }

  private static func word(_ bytes: [UInt8]) -> String {
    "=?UTF-8?B?\(Data(bytes).base64EncodedString())?="
  }
}
