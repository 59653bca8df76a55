/// Reads `application/x-www-form-urlencoded` (WHATWG URL §5.1), strictly.
enum FormDecoder {
  /// Reads a body.
  ///
  /// - Parameter body: The octets.
  /// - Returns: The fields in their order.
  /// - Throws: `BodyError.malformed` for a `%` without two hexadecimal digits, for a name that is not
  ///   UTF-8, and for more fields than a body may have.
  static func decode(_ body: [UInt8]) throws(BodyError) -> BodyFields {
    var fields = BodyFields()
    try body.withUnsafeBufferPointer { (body) throws(BodyError) in
      var start = 0
      while start < body.count {
        if body[start] == UInt8(ascii: "&") {
          start += 1
          continue
        }
        let end = body.firstIndex(of: UInt8(ascii: "&"), in: start..<body.count) ?? body.count
        try readField(body[part: start..<end], into: &fields)
        start = end + 1
      }
    }
    return fields
  }

  private static func readField(
    _ pair: UnsafeBufferPointer<UInt8>,
    into fields: inout BodyFields
  ) throws(BodyError) {
    let separator = pair.firstIndex(of: UInt8(ascii: "="), in: 0..<pair.count) ?? pair.count
    guard let name = try text(pair[part: 0..<separator]) else {
      throw .malformed("The name of a field is not UTF-8.")
    }
    let value = try text(pair[part: min(separator + 1, pair.count)..<pair.count])
    try fields.append(name, value.map { .text($0) } ?? .damagedText)
  }

  /// Text without its escapes; `nil` when it is not UTF-8.
  private static func text(_ octets: UnsafeBufferPointer<UInt8>) throws(BodyError) -> String? {
    let isPlain =
      octets.firstIndex(of: UInt8(ascii: "%"), in: 0..<octets.count) == nil
      && octets.firstIndex(of: UInt8(ascii: "+"), in: 0..<octets.count) == nil
    if isPlain { return String(utf8: octets) }
    var isMalformed = false
    let unescaped = [UInt8](unsafeUninitializedCapacity: octets.count) { buffer, count in
      count = unescape(octets, into: buffer)
      isMalformed = count < 0
      count = max(count, 0)
    }
    guard !isMalformed else {
      throw .malformed("A % is not followed by two hexadecimal digits.")
    }
    return unescaped.withUnsafeBufferPointer { String(utf8: $0) }
  }

  /// Removes escapes.
  ///
  /// - Returns: How many bytes were written; a negative number when an escape is malformed.
  private static func unescape(
    _ octets: UnsafeBufferPointer<UInt8>,
    into buffer: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    var index = 0
    var count = 0
    while index < octets.count {
      switch octets[index] {
      case UInt8(ascii: "+"):
        buffer[count] = UInt8(ascii: " ")
      case UInt8(ascii: "%"):
        guard index + 2 < octets.count,
          let high = hexadecimalDigit(octets[index + 1]),
          let low = hexadecimalDigit(octets[index + 2])
        else { return -1 }
        buffer[count] = high << 4 | low
        index += 2
      case let octet:
        buffer[count] = octet
      }
      index += 1
      count += 1
    }
    return count
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
