internal import Platform

/// The six digits in a mail that the recipient can type instead of opening the link.
///
/// Stores contain only a keyed hash, because a plain one can be searched in a second. Logs contain
/// neither: the description hides the digits.
package struct ConfirmationCode: Sendable {
  package static let digitCount = 6

  package let digits: String

  /// Derives the code of a mail from the bytes of its id: the first 8 bytes of HMAC(key, id),
  /// modulo 10⁶.
  init(ofMail mail: [UInt8], key: DerivedKey) {
    let number = key.mac(of: mail).prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    let digits = String(number % 1_000_000)
    self.digits = String(repeating: "0", count: Self.digitCount - digits.utf8.count) + digits
  }

  /// Parses a visitor's input of six digits, ignoring spaces and hyphens; `nil` if it is not a
  /// code.
  package init?(_ text: some StringProtocol) {
    let digits = text.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
    guard digits.count == Self.digitCount, digits.allSatisfy(\.isASCIIDigit) else { return nil }
    self.digits = String(decoding: digits, as: UTF8.self)
  }

  /// Returns the keyed hash of this code for one subscriber, as stored: HMAC(key, id ‖ digits), 32
  /// bytes.
  func hash(for subscriber: Int64, key: DerivedKey) -> [UInt8] {
    key.mac(of: Self.message(digits, subscriber))
  }

  /// Compares this code with a stored hash in a time that depends on neither.
  func matches(_ hash: [UInt8], for subscriber: Int64, key: DerivedKey) -> Bool {
    key.isValid(hash, for: Self.message(digits, subscriber))
  }

  /// Returns the bytes that are hashed; their number, 14, is never that of a mail's id.
  private static func message(_ digits: String, _ subscriber: Int64) -> [UInt8] {
    let number = UInt64(bitPattern: subscriber)
    let bytes = stride(from: 56, through: 0, by: -8).map { shift in
      UInt8(truncatingIfNeeded: number >> UInt64(shift))
    }
    return bytes + digits.utf8
  }
}

extension ConfirmationCode: CustomStringConvertible, CustomReflectable {
  /// Stars, so that no log contains the code.
  package var description: String { "***" }

  /// A mirror without children, so that no dump contains the code.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
