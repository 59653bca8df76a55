internal import Platform

/// The preferences of a client: the weighted items of `Accept` or `Accept-Language` (RFC 9110
/// §12.4.2).
package struct QualityList: Hashable, Sendable {
  /// One item, in lower case, and its weight.
  package struct Item: Hashable, Sendable {
    /// The media range or the language range, without parameters.
    package let range: String
    /// The weight in thousandths, from 0 (not acceptable) to 1000.
    package let quality: Int
  }

  /// The maximum number of items to read; no client has more preferences.
  private static let maximumCount = 32
  /// The maximum length of an item, in bytes.
  ///
  /// A media type has at most 255 bytes (RFC 6838 §4.2), and no client sends that many parameters.
  private static let maximumItemBytes = 255

  /// The maximum number of parameters of an item, including its weight.
  private static let maximumParameterCount = 8

  /// The items in the order in which the client sent them.
  package let items: [Item]

  /// Parses the values of a header field; ignores items that are not well-formed or too long.
  package init(_ values: [String]) {
    var items: [Item] = []
    var count = 0
    for var value in values {
      value.withUTF8 { bytes in
        var rest = bytes[...]
        while count < Self.maximumCount {
          count += 1
          let end = rest.firstIndex(of: UInt8(ascii: ",")) ?? rest.endIndex
          if let item = Self.item(rest[..<end]) { items.append(item) }
          guard end < rest.endIndex else { break }
          rest = rest[(end + 1)...]
        }
      }
    }
    self.items = items
  }

  private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

  private static func item(_ text: Bytes) -> Item? {
    guard text.count <= maximumItemBytes else { return nil }
    let end = text.firstIndex(of: UInt8(ascii: ";")) ?? text.endIndex
    let range = text[..<end].trimmed
    guard !range.isEmpty else { return nil }
    var quality: Int? = 1000
    var rest = text[end...]
    var count = 0
    // Of several weights among the parameters, the last one counts.
    while !rest.isEmpty {
      count += 1
      guard count <= maximumParameterCount else { return nil }
      rest = rest.dropFirst().drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      let end = rest.firstIndex(of: UInt8(ascii: ";")) ?? rest.endIndex
      let start = rest.startIndex
      if end - start >= 2, rest[start] | 0x20 == UInt8(ascii: "q"),
        rest[start + 1] == UInt8(ascii: "=")
      {
        quality = Self.quality(rest[(start + 2)..<end].trimmed)
      }
      rest = rest[end...]
    }
    guard let quality else { return nil }
    let lowercased = String(unsafeUninitializedCapacity: range.count) { buffer in
      for (index, byte) in range.enumerated() {
        buffer[index] = byte.asciiLowercased
      }
      return range.count
    }
    return Item(range: lowercased, quality: quality)
  }

  /// Parses a weight: `0` or `1`, with up to three digits after the decimal point.
  private static func quality(_ text: Bytes) -> Int? {
    guard let first = text.first, first == UInt8(ascii: "0") || first == UInt8(ascii: "1") else {
      return nil
    }
    var fraction = 0
    let rest = text.dropFirst()
    if let point = rest.first {
      let digits = rest.dropFirst()
      guard point == UInt8(ascii: "."), digits.count <= 3,
        digits.allSatisfy({ $0.isASCIIDigit })
      else { return nil }
      for digit in digits { fraction = fraction * 10 + Int(digit & 15) }
      for _ in digits.count..<3 { fraction *= 10 }
    }
    return first == UInt8(ascii: "0") ? fraction : fraction == 0 ? 1000 : nil
  }
}
