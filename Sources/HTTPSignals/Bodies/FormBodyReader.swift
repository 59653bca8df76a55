internal import Platform

/// A strict reader of `application/x-www-form-urlencoded` (WHATWG URL §5.1).
enum FormBodyReader {
  /// Decodes a body.
  ///
  /// - Throws: `BodyError.malformed` for a `%` without two hexadecimal digits, for a name that is
  ///   not UTF-8 or is too long, and for too many fields.
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
    _ pair: UnsafeBufferPointer<UInt8>, into fields: inout BodyFields
  ) throws(BodyError) {
    let separator = pair.firstIndex(of: UInt8(ascii: "="), in: 0..<pair.count) ?? pair.count
    guard let name = try text(pair[part: 0..<separator]) else {
      throw .malformed(.fieldName)
    }
    let value = try text(pair[part: min(separator + 1, pair.count)..<pair.count])
    try fields.append(name, value.map { .text($0) } ?? .damagedText)
  }

  /// Decodes the escapes of a name or value; returns `nil` if the result is not UTF-8.
  private static func text(_ bytes: UnsafeBufferPointer<UInt8>) throws(BodyError) -> String? {
    let isPlain =
      bytes.firstIndex(of: UInt8(ascii: "%"), in: 0..<bytes.count) == nil
      && bytes.firstIndex(of: UInt8(ascii: "+"), in: 0..<bytes.count) == nil
    if isPlain { return String(utf8: bytes) }
    var isMalformed = false
    let unescaped = [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, count in
      count = unescape(bytes, into: buffer)
      isMalformed = count < 0
      count = max(count, 0)
    }
    guard !isMalformed else {
      throw .malformed(.percentEncoding)
    }
    return unescaped.withUnsafeBufferPointer { String(utf8: $0) }
  }

  /// Writes bytes with their escapes decoded.
  ///
  /// - Returns: The number of bytes written; a negative number if an escape is malformed.
  private static func unescape(
    _ bytes: UnsafeBufferPointer<UInt8>, into buffer: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    var index = 0
    var count = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "+"):
        buffer[count] = UInt8(ascii: " ")
      case UInt8(ascii: "%"):
        guard index + 2 < bytes.count,
          let high = bytes[index + 1].hexadecimalValue,
          let low = bytes[index + 2].hexadecimalValue
        else { return -1 }
        buffer[count] = high << 4 | low
        index += 2
      case let byte:
        buffer[count] = byte
      }
      index += 1
      count += 1
    }
    return count
  }
}
