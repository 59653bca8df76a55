internal import CLibpq

/// The rows that a statement has returned, in binary format.
// Not Sendable: only the connection's thread uses it.
final class QueryResult {
  private let result: OpaquePointer

  /// Takes ownership of a result.
  init(_ result: OpaquePointer) {
    self.result = result
  }

  deinit {
    PQclear(result)
  }

  /// The number of rows; the corresponding C function is `PQntuples`.
  var count: Int { Int(PQntuples(result)) }

  /// Reads a value.
  ///
  /// The corresponding C functions are `PQgetvalue` and `PQftype`.
  ///
  /// - Returns: The value; `nil` for null.
  /// - Throws: ``PostgreSQLError/malformed`` if there is no such value.
  func value<Value: WireValue>(
    _ row: Int,
    _ column: Int,
    as type: Value.Type = Value.self
  ) throws(PostgreSQLError) -> Value? {
    guard let bytes = try bytes(row, column, Value.wireType) else { return nil }
    guard let value = Value.read(bytes) else { throw .malformed }
    return value
  }

  /// Reads a value that is not null.
  ///
  /// - Throws: ``PostgreSQLError/malformed`` if there is no such value.
  func required<Value: WireValue>(
    _ row: Int,
    _ column: Int,
    as type: Value.Type = Value.self
  ) throws(PostgreSQLError) -> Value {
    guard let value = try value(row, column, as: type) else { throw .malformed }
    return value
  }

  /// Reads an array.
  ///
  /// - Returns: The elements; `nil` if the array is null.
  /// - Throws: ``PostgreSQLError/malformed`` if there is no such array.
  func array<Element: WireValue>(
    _ row: Int,
    _ column: Int,
    of type: Element.Type = Element.self
  ) throws(PostgreSQLError) -> [Element?]? {
    guard let bytes = try bytes(row, column, Element.wireArrayType) else { return nil }
    guard let elements = WireArray.read(bytes, of: type) else { throw .malformed }
    return elements
  }

  /// Reads an integer of any size; `nil` for null, and for another type.
  func integer(_ row: Int, _ column: Int) -> Int64? {
    guard column >= 0, column < Int(PQnfields(result)) else { return nil }
    return switch WireType(rawValue: PQftype(result, Int32(column))) {
    case .int2: (try? value(row, column, as: Int16.self)).flatMap { $0.map(Int64.init) }
    case .int4: (try? value(row, column, as: Int32.self)).flatMap { $0.map(Int64.init) }
    default: (try? value(row, column, as: Int64.self)) ?? nil
    }
  }

  /// Reads the bytes of a value.
  ///
  /// - Parameter type: The type that the column must have.
  /// - Returns: The bytes, which are valid while the result exists; `nil` for null.
  /// - Throws: ``PostgreSQLError/malformed`` if there is no such value.
  func bytes(
    _ row: Int,
    _ column: Int,
    _ type: WireType
  ) throws(PostgreSQLError) -> UnsafeRawBufferPointer? {
    guard row >= 0, row < count, column >= 0, column < Int(PQnfields(result)),
      PQfformat(result, Int32(column)) == 1, PQftype(result, Int32(column)) == type.rawValue
    else { throw .malformed }
    if PQgetisnull(result, Int32(row), Int32(column)) == 1 { return nil }
    let length = PQgetlength(result, Int32(row), Int32(column))
    return UnsafeRawBufferPointer(
      start: PQgetvalue(result, Int32(row), Int32(column)),
      count: Int(length)
    )
  }
}
