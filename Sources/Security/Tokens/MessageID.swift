/// The part of a Message-ID before the `@` (RFC 5322 §3.6.4).
///
/// The part is derived from the mail's id, so every attempt to send a mail has the same one, and
/// the recipient's server can recognize a duplicate.
package struct MessageID: Hashable, Sendable {
  /// The number of characters: 128 bits of base32.
  package static let characterCount = 26

  /// The characters, `a` to `z` and `2` to `7` (RFC 4648 §6, in lowercase).
  package let text: String

  /// Derives the Message-ID of a mail from the bytes of the mail's id.
  init(ofMail mail: [UInt8], key: DerivedKey) {
    let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
    var text: [UInt8] = []
    var bits: UInt32 = 0
    var bitCount: UInt32 = 0
    for byte in key.mac(of: mail).prefix(16) {
      bits = bits << 8 | UInt32(byte)
      bitCount += 8
      while bitCount >= 5 {
        bitCount -= 5
        text.append(alphabet[Int(bits >> bitCount & 31)])
      }
      bits &= (1 << bitCount) - 1
    }
    // 128 bits leave three for the last character.
    text.append(alphabet[Int(bits << (5 - bitCount) & 31)])
    self.text = String(decoding: text, as: UTF8.self)
  }
}

extension MessageID: CustomStringConvertible {
  package var description: String { text }
}
