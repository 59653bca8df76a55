internal import Platform

/// A strict reader of one flat JSON object (RFC 8259), on the hot path of a service.
///
/// Foundation's decoder takes several times as long, and reports a lone surrogate as an error of
/// the whole body. The reader skips members that are not strings, nested ones too. It rejects a
/// name that occurs twice, because the object does not define which value counts.
struct JSONBodyReader {
  /// The maximum depth of nesting in a skipped member.
  private static let maximumDepth = 32
  /// The maximum number of values nested in skipped members.
  ///
  /// A body has room for 5,400 empty strings, which would take as long as ten requests.
  private static let maximumNestedCount = 128
  // Made once, because a client can cause them with each request.
  private static let tooManyNestedValues = BodyError.malformed(
    .tooManyNestedValues, [.init("count", maximumNestedCount)])
  private static let notJSON = BodyError.malformed(.notJSON)
  private static let damagedName = BodyError.malformed(.memberName)

  // Valid only during `decode`.
  private let bytes: UnsafeBufferPointer<UInt8>
  private var index = 0
  private var nestedCount = 0
  /// Whether the whole body is well-formed UTF-8, and therefore every string in it.
  private let isWellFormed: Bool

  private init(bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    isWellFormed = bytes.isWellFormedUTF8
  }

  static func decode(_ body: [UInt8]) throws(BodyError) -> BodyFields {
    try body.withUnsafeBufferPointer { (bytes) throws(BodyError) in
      var reader = JSONBodyReader(bytes: bytes)
      return try reader.readBody()
    }
  }

  private mutating func readBody() throws(BodyError) -> BodyFields {
    var fields = BodyFields()
    skipWhiteSpace()
    guard take(UInt8(ascii: "{")) else { throw .malformed(.notObject) }
    skipWhiteSpace()
    if !take(UInt8(ascii: "}")) {
      repeat {
        skipWhiteSpace()
        try fields.append(try readName(), try readValue())
        skipWhiteSpace()
      } while take(UInt8(ascii: ","))
      guard take(UInt8(ascii: "}")) else { throw Self.notJSON }
    }
    skipWhiteSpace()
    guard index == bytes.count else { throw Self.notJSON }
    guard !fields.repeatsName else { throw .malformed(.repeatedMember) }
    return fields
  }

  private mutating func readName() throws(BodyError) -> String {
    guard current == UInt8(ascii: "\"") else { throw Self.notJSON }
    guard case .text(let name) = try readString() else { throw Self.damagedName }
    try skipColon()
    return name
  }

  private mutating func skipColon() throws(BodyError) {
    skipWhiteSpace()
    guard take(UInt8(ascii: ":")) else { throw Self.notJSON }
    skipWhiteSpace()
  }

  private mutating func readValue() throws(BodyError) -> BodyFields.Value {
    if current == UInt8(ascii: "\"") { return try readString() }
    let isNull = current == UInt8(ascii: "n")
    try skipValue(depth: 0)
    return isNull ? .null : .other
  }

  // MARK: Strings

  /// A string that has been checked but not decoded: the indices of the bytes between the quotation
  /// marks, and whether they are well-formed UTF-8 without a lone surrogate.
  private typealias TextRange = (bytes: Range<Int>, hasEscapes: Bool, isText: Bool)

  private mutating func readString() throws(BodyError) -> BodyFields.Value {
    let range = try skipString()
    guard range.isText else { return .damagedText }
    let bytes = bytes[part: range.bytes]
    guard range.hasEscapes else { return .text(String(decoding: bytes, as: UTF8.self)) }
    // The string is well-formed, and no escape is shorter than the character it represents.
    return .text(
      String(unsafeUninitializedCapacity: bytes.count) { Self.unescape(bytes, into: $0) })
  }

  /// Checks a string without creating a `String`, the largest cost in a body full of short strings.
  private mutating func skipString() throws(BodyError) -> TextRange {
    index += 1
    let start = index
    var hasEscapes = false
    var isText = true
    // Most strings have no escapes and are a single run of bytes.
    while true {
      index = Self.endOfRun(in: bytes, from: index)
      guard let byte = current, byte >= 0x20 else { throw Self.notJSON }
      if byte == UInt8(ascii: "\"") {
        let range = start..<index
        index += 1
        if !isWellFormed, isText { isText = bytes[part: range].isWellFormedUTF8 }
        return (range, hasEscapes, isText)
      }
      // The only other byte that ends a run is a backslash.
      hasEscapes = true
      let isRunText = try skipEscapes()
      isText = isText && isRunText
    }
  }

  /// Returns the index of the next quotation mark, backslash or control character, or the end.
  // Static, because a method would write the reader's index back to memory for each byte.
  private static func endOfRun(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    let words = UnsafeRawBufferPointer(bytes)
    let ones: UInt64 = 0x0101_0101_0101_0101
    var index = start
    // Checks eight bytes at a time. A subtraction that borrows sets the highest bit of a byte: of
    // one below 0x20, and of one that XOR has made zero because it is a quotation mark or a
    // backslash.
    while index + 8 <= words.count {
      let word = words.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      let quotes = word ^ (ones &* 0x22)
      let backslashes = word ^ (ones &* 0x5C)
      let found =
        (word &- ones &* 0x20) & ~word | (quotes &- ones) & ~quotes
        | (backslashes &- ones) & ~backslashes
      if found & (ones &* 0x80) != 0 { break }
      index += 8
    }
    while index < bytes.count {
      let byte = bytes[index]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
      index += 1
    }
    return index
  }

  // MARK: Skipped values

  private mutating func skipValue(depth: Int) throws(BodyError) {
    guard depth < Self.maximumDepth else { throw .malformed(.jsonDepth) }
    switch current {
    case UInt8(ascii: "\""):
      guard try skipString().isText else { throw .malformed(.jsonString) }
    case UInt8(ascii: "{"):
      try skipElements(until: UInt8(ascii: "}"), named: true, depth: depth)
    case UInt8(ascii: "["):
      try skipElements(until: UInt8(ascii: "]"), named: false, depth: depth)
    case UInt8(ascii: "t"): try skip("true")
    case UInt8(ascii: "f"): try skip("false")
    case UInt8(ascii: "n"): try skip("null")
    default: try skipNumber()
    }
  }

  private mutating func skipElements(until end: UInt8, named: Bool, depth: Int) throws(BodyError) {
    index += 1
    skipWhiteSpace()
    if take(end) { return }
    repeat {
      nestedCount += 1
      guard nestedCount <= Self.maximumNestedCount else {
        throw Self.tooManyNestedValues
      }
      skipWhiteSpace()
      if named { try skipName() }
      try skipValue(depth: depth + 1)
      skipWhiteSpace()
    } while take(UInt8(ascii: ","))
    guard take(end) else { throw Self.notJSON }
  }

  private mutating func skipName() throws(BodyError) {
    guard current == UInt8(ascii: "\"") else { throw Self.notJSON }
    guard try skipString().isText else { throw Self.damagedName }
    try skipColon()
  }

  private mutating func skip(_ literal: StaticString) throws(BodyError) {
    for position in 0..<literal.utf8CodeUnitCount {
      guard take(literal.utf8Start[position]) else { throw Self.notJSON }
    }
  }

  private mutating func skipNumber() throws(BodyError) {
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) { try skipDigits() }
    if take(UInt8(ascii: ".")) { try skipDigits() }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      try skipDigits()
    }
  }

  private mutating func skipDigits() throws(BodyError) {
    let start = index
    while let byte = current, byte.isASCIIDigit { index += 1 }
    guard index > start else { throw Self.notJSON }
  }

  // MARK: Bytes

  private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard current == byte else { return false }
    index += 1
    return true
  }

  private mutating func skipWhiteSpace() {
    while let byte = current, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
      index += 1
    }
  }

  // MARK: Escapes (RFC 8259 §7)

  /// Skips a run of escapes without decoding them, and returns whether each represents a character,
  /// which a lone surrogate does not.
  private mutating func skipEscapes() throws(BodyError) -> Bool {
    // A copy, because the reader's index would be written back to memory for each escape.
    var index = index
    var isText = true
    while index < bytes.count, bytes[index] == UInt8(ascii: "\\") {
      guard index + 1 < bytes.count else { throw Self.notJSON }
      guard bytes[index + 1] == UInt8(ascii: "u") else {
        guard Self.isSimpleEscape(bytes[index + 1]) else { throw Self.notJSON }
        index += 2
        continue
      }
      guard let unit = Self.codeUnit(bytes, at: index + 2) else { throw Self.notJSON }
      index += 6
      guard (0xD800...0xDFFF).contains(unit) else { continue }
      // If the escape that follows is not the low surrogate, the next pass reads it on its own.
      if unit <= 0xDBFF, index + 1 < bytes.count, bytes[index] == UInt8(ascii: "\\"),
        bytes[index + 1] == UInt8(ascii: "u")
      {
        guard let second = Self.codeUnit(bytes, at: index + 2) else { throw Self.notJSON }
        if (0xDC00...0xDFFF).contains(second) {
          index += 6
          continue
        }
      }
      isText = false
    }
    self.index = index
    return isText
  }

  /// Reads the four hexadecimal digits of an escape such as `\u0041`, a UTF-16 code unit; `nil` if
  /// there are not four digits.
  private static func codeUnit(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> UInt32? {
    guard index + 4 <= bytes.count else { return nil }
    var unit: UInt32 = 0
    for offset in 0..<4 {
      guard let digit = bytes[index + offset].hexadecimalValue else { return nil }
      unit = unit << 4 | UInt32(digit)
    }
    return unit
  }

  /// Returns whether a byte completes a two-character escape: one of `"/\bfnrt`.
  private static func isSimpleEscape(_ byte: UInt8) -> Bool {
    // Bit masks, with one bit for each of the 32 bytes from 0x20 and from 0x60.
    switch byte {
    case UInt8(ascii: "\\"): true
    case 0x20..<0x40: (0x0000_8004 as UInt32) >> UInt32(byte & 31) & 1 != 0
    case 0x60..<0x80: (0x0014_4044 as UInt32) >> UInt32(byte & 31) & 1 != 0
    default: false
    }
  }

  /// Writes a well-formed string with its escapes decoded, and returns the number of bytes, at most
  /// `bytes.count`.
  private static func unescape(
    _ bytes: UnsafeBufferPointer<UInt8>, into buffer: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    var index = 0
    var count = 0
    while index < bytes.count {
      var byte = bytes[index]
      index += 1
      if byte == UInt8(ascii: "\\"), index < bytes.count {
        byte = bytes[index]
        index += 1
        switch byte {
        case UInt8(ascii: "b"): byte = 0x08
        case UInt8(ascii: "f"): byte = 0x0C
        case UInt8(ascii: "n"): byte = 0x0A
        case UInt8(ascii: "r"): byte = 0x0D
        case UInt8(ascii: "t"): byte = 0x09
        case UInt8(ascii: "u"):
          var scalar = codeUnit(bytes, at: index) ?? 0xFFFD
          index += 4
          if (0xD800...0xDBFF).contains(scalar) {
            let second = codeUnit(bytes, at: index + 2) ?? 0xDC00
            scalar = 0x10000 + (scalar - 0xD800) << 10 + (second - 0xDC00)
            index += 6
          }
          count += write(scalar, into: buffer, at: count)
          continue
        default: break
        }
      }
      buffer[count] = byte
      count += 1
    }
    return count
  }

  /// Writes a Unicode scalar value as UTF-8 (RFC 3629 §3); returns the number of bytes written.
  private static func write(
    _ scalar: UInt32, into buffer: UnsafeMutableBufferPointer<UInt8>, at index: Int
  ) -> Int {
    let length = scalar < 0x80 ? 1 : scalar < 0x800 ? 2 : scalar < 0x10000 ? 3 : 4
    guard length > 1 else {
      buffer[index] = UInt8(truncatingIfNeeded: scalar)
      return 1
    }
    for offset in 1..<length {
      let bits = scalar >> UInt32(6 * (length - 1 - offset)) & 0x3F
      buffer[index + offset] = 0x80 | UInt8(truncatingIfNeeded: bits)
    }
    let mark: UInt8 = length == 2 ? 0xC0 : length == 3 ? 0xE0 : 0xF0
    buffer[index] = mark | UInt8(truncatingIfNeeded: scalar >> UInt32(6 * (length - 1)))
    return length
  }
}
