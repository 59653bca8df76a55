/// Reads `application/x-www-form-urlencoded` (WHATWG URL §5.1), strictly.
enum FormDecoder {
  /// Reads a body.
  ///
  /// - Parameter body: The octets.
  /// - Returns: The fields in their order.
  /// - Throws: `BodyError.malformed` for a `%` without two hexadecimal digits and for a name that
  ///   is not UTF-8.
  static func decode(_ body: [UInt8]) throws(BodyError) -> BodyFields {
    var fields = BodyFields()
    for pair in body.split(separator: UInt8(ascii: "&")) {
      let halves = pair.split(
        separator: UInt8(ascii: "="),
        maxSplits: 1,
        omittingEmptySubsequences: false
      )
      guard let name = String(validating: try unescape(halves[0]), as: UTF8.self) else {
        throw .malformed("The name of a field is not UTF-8.")
      }
      let value = halves.count == 2 ? try unescape(halves[1]) : []
      fields.append(
        name,
        String(validating: value, as: UTF8.self).map { .text($0) } ?? .damagedText
      )
    }
    return fields
  }

  private static func unescape(_ octets: ArraySlice<UInt8>) throws(BodyError) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(octets.count)
    var index = octets.startIndex
    while index < octets.endIndex {
      switch octets[index] {
      case UInt8(ascii: "+"):
        result.append(UInt8(ascii: " "))
        index += 1
      case UInt8(ascii: "%"):
        guard
          index + 2 < octets.endIndex,
          let high = hexadecimalDigit(octets[index + 1]),
          let low = hexadecimalDigit(octets[index + 2])
        else { throw .malformed("A % is not followed by two hexadecimal digits.") }
        result.append(high << 4 | low)
        index += 3
      case let octet:
        result.append(octet)
        index += 1
      }
    }
    return result
  }
}

/// The value of a hexadecimal digit; `nil` for another octet.
func hexadecimalDigit(_ octet: UInt8) -> UInt8? {
  switch octet {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): octet - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): octet - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): octet - UInt8(ascii: "A") + 10
  default: nil
  }
}
