/// A type of the server, identified by the number of its row in `pg_type`.
///
/// The numbers are part of the protocol; see `pg_type.dat` in the server's source code.
struct WireType: RawRepresentable, Hashable, Sendable {
  let rawValue: UInt32

  static let bool = WireType(rawValue: 16)
  static let bytea = WireType(rawValue: 17)
  static let int8 = WireType(rawValue: 20)
  static let int2 = WireType(rawValue: 21)
  static let int4 = WireType(rawValue: 23)
  static let text = WireType(rawValue: 25)
  static let timestamptz = WireType(rawValue: 1184)

  static let boolArray = WireType(rawValue: 1000)
  static let byteaArray = WireType(rawValue: 1001)
  static let int2Array = WireType(rawValue: 1005)
  static let int4Array = WireType(rawValue: 1007)
  static let textArray = WireType(rawValue: 1009)
  static let int8Array = WireType(rawValue: 1016)
  static let timestamptzArray = WireType(rawValue: 1185)
}

/// A value with a binary format.
protocol WireValue: Sendable {
  static var wireType: WireType { get }
  /// The type of an array of values.
  static var wireArrayType: WireType { get }

  /// Appends the value in binary format, without its length.
  func append(to bytes: inout [UInt8])

  /// Reads a value in binary format; returns `nil` if the bytes are not exactly a value.
  static func read(_ bytes: UnsafeRawBufferPointer) -> Self?
}
