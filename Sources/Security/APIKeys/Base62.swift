/// Text of the 62 digits `0-9A-Za-z`.
enum Base62 {
  /// The digits in the order of their values.
  static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

  /// Returns whether all bytes are digits.
  static func contains(_ bytes: some Sequence<UInt8>) -> Bool {
    bytes.allSatisfy(digits.contains)
  }

  /// Creates random digits, each of them uniformly distributed.
  static func random(count: Int) -> [UInt8] {
    var result: [UInt8] = []
    while result.count < count {
      // Every digit is the remainder of four of the first 248 values; others are skipped.
      for byte in SecureBytes.random(count: count) where byte < 248 && result.count < count {
        result.append(digits[Int(byte % 62)])
      }
    }
    return result
  }

  /// Writes a number in six digits, the most significant first; six digits suffice for 32 bits.
  static func sixDigits(of number: UInt32) -> [UInt8] {
    var rest = number
    var result: [UInt8] = []
    for _ in 0..<6 {
      result.append(digits[Int(rest % 62)])
      rest /= 62
    }
    return result.reversed()
  }
}
