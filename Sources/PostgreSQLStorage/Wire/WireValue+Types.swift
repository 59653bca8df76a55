internal import MailingList

extension Bool: WireValue {
  static var wireType: WireType { .bool }
  static var wireArrayType: WireType { .boolArray }

  func append(to bytes: inout [UInt8]) {
    bytes.append(self ? 1 : 0)
  }

  static func read(_ bytes: UnsafeRawBufferPointer) -> Bool? {
    guard bytes.count == 1 else { return nil }
    return switch bytes[0] {
    case 0: false
    case 1: true
    default: nil
    }
  }
}

extension Int16: WireValue {
  static var wireType: WireType { .int2 }
  static var wireArrayType: WireType { .int2Array }

  func append(to bytes: inout [UInt8]) {
    bytes.append(bigEndian: self)
  }

  static func read(_ bytes: UnsafeRawBufferPointer) -> Int16? {
    bytes.bigEndianInteger()
  }
}

extension Int32: WireValue {
  static var wireType: WireType { .int4 }
  static var wireArrayType: WireType { .int4Array }

  func append(to bytes: inout [UInt8]) {
    bytes.append(bigEndian: self)
  }

  static func read(_ bytes: UnsafeRawBufferPointer) -> Int32? {
    bytes.bigEndianInteger()
  }
}

extension Int64: WireValue {
  static var wireType: WireType { .int8 }
  static var wireArrayType: WireType { .int8Array }

  func append(to bytes: inout [UInt8]) {
    bytes.append(bigEndian: self)
  }

  static func read(_ bytes: UnsafeRawBufferPointer) -> Int64? {
    bytes.bigEndianInteger()
  }
}

extension String: WireValue {
  static var wireType: WireType { .text }
  static var wireArrayType: WireType { .textArray }

  /// Appends the text in UTF-8; U+FFFD replaces U+0000, which the server rejects.
  func append(to bytes: inout [UInt8]) {
    let start = bytes.count
    bytes.append(contentsOf: utf8)
    guard bytes[start...].contains(0) else { return }
    let written = bytes[start...].flatMap { $0 == 0 ? [0xEF, 0xBF, 0xBD] : [$0] }
    bytes.replaceSubrange(start..., with: written)
  }

  static func read(_ bytes: UnsafeRawBufferPointer) -> String? {
    String(validating: bytes, as: UTF8.self)
  }
}

extension Array: WireValue where Element == UInt8 {
  static var wireType: WireType { .bytea }
  static var wireArrayType: WireType { .byteaArray }

  func append(to bytes: inout [UInt8]) {
    bytes.append(contentsOf: self)
  }

  static func read(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    [UInt8](bytes)
  }
}

extension Timestamp: WireValue {
  static var wireType: WireType { .timestamptz }
  static var wireArrayType: WireType { .timestamptzArray }

  /// The beginning of the server's times, which is the year 2000, in milliseconds since 1970.
  private static let epoch: Int64 = 946_684_800_000

  /// Appends the microseconds since 2000; a time out of the server's range becomes `infinity` or
  /// `-infinity`.
  func append(to bytes: inout [UInt8]) {
    let (since2000, underflow) = millisecondsSince1970.subtractingReportingOverflow(Self.epoch)
    let (microseconds, overflow) = since2000.multipliedReportingOverflow(by: 1000)
    let isRepresentable = !underflow && !overflow && Self.range.contains(microseconds)
    bytes.append(
      bigEndian: isRepresentable ? microseconds : millisecondsSince1970 < 0 ? .min : .max)
  }

  static func read(_ bytes: UnsafeRawBufferPointer) -> Timestamp? {
    guard let microseconds: Int64 = bytes.bigEndianInteger() else { return nil }
    switch microseconds {
    case .min: return .distantPast
    case .max: return .distantFuture
    default:
      // Rounded down, also before the year 2000.
      let (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: 1000)
      let milliseconds = remainder < 0 ? quotient - 1 : quotient
      return Timestamp(millisecondsSince1970: milliseconds + epoch)
    }
  }

  /// The server's range in microseconds since 2000: 4714 BC, rounded up, to 294276 AD.
  private static let range: ClosedRange<Int64> =
    -211_813_488_000_000_000...9_223_371_331_199_999_999
}

extension [UInt8] {
  /// Appends an integer, most significant byte first.
  mutating func append(bigEndian integer: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: integer.bigEndian) { append(contentsOf: $0) }
  }
}

extension UnsafeRawBufferPointer {
  /// Reads an integer, most significant byte first; returns `nil` unless the buffer has exactly its
  /// size.
  func bigEndianInteger<Integer: FixedWidthInteger>() -> Integer? {
    guard count == MemoryLayout<Integer>.size else { return nil }
    return Integer(bigEndian: loadUnaligned(as: Integer.self))
  }
}
