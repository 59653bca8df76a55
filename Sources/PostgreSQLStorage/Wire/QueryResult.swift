internal import CLibpq

/// The rows of a statement's result, in binary format.
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

  /// Reads a value; `nil` is NULL.
  ///
  /// The corresponding C functions are `PQgetvalue` and `PQftype`.
  ///
  /// - Throws: ``PostgreSQLError/malformed`` if there is no such value, or it has another type.
  func value<Value: WireValue>(
    _ row: Int, _ column: Int, as type: Value.Type = Value.self
  ) throws(PostgreSQLError) -> Value? {
    guard let bytes = try bytes(row, column, Value.wireType) else { return nil }
    guard let value = Value.read(bytes) else { throw .malformed }
    return value
  }

  /// Reads a value that is not NULL.
  ///
  /// - Throws: ``PostgreSQLError/malformed`` if there is no such value, or it is NULL or has
  ///   another type.
  func required<Value: WireValue>(
    _ row: Int, _ column: Int, as type: Value.Type = Value.self
  ) throws(PostgreSQLError) -> Value {
    guard let value = try value(row, column, as: type) else { throw .malformed }
    return value
  }

  /// Reads an array; `nil` is NULL.
  ///
  /// - Throws: ``PostgreSQLError/malformed`` if there is no such array.
  func array<Element: WireValue>(
    _ row: Int, _ column: Int, of type: Element.Type = Element.self
  ) throws(PostgreSQLError) -> [Element?]? {
    guard let bytes = try bytes(row, column, Element.wireArrayType) else { return nil }
    guard let elements = WireArray.read(bytes, of: type) else { throw .malformed }
    return elements
  }

  /// Reads an integer of any size; returns `nil` for NULL and for another type.
  func integer(_ row: Int, _ column: Int) -> Int64? {
    guard column >= 0, column < Int(PQnfields(result)) else { return nil }
    return switch WireType(rawValue: PQftype(result, Int32(column))) {
    case .int2: (try? value(row, column, as: Int16.self)).flatMap { $0.map(Int64.init) }
    case .int4: (try? value(row, column, as: Int32.self)).flatMap { $0.map(Int64.init) }
    default: (try? value(row, column, as: Int64.self)) ?? nil
    }
  }

  /// Reads the bytes of a value, which are valid while the result exists; `nil` is NULL.
  ///
  /// - Parameter type: The type that the column must have.
  /// - Throws: ``PostgreSQLError/malformed`` if there is no such value.
  func bytes(
    _ row: Int, _ column: Int, _ type: WireType
  ) throws(PostgreSQLError) -> UnsafeRawBufferPointer? {
    guard row >= 0, row < count, column >= 0, column < Int(PQnfields(result)),
      PQfformat(result, Int32(column)) == 1, PQftype(result, Int32(column)) == type.rawValue
    else { throw .malformed }
    if PQgetisnull(result, Int32(row), Int32(column)) == 1 { return nil }
    let length = PQgetlength(result, Int32(row), Int32(column))
    return UnsafeRawBufferPointer(
      start: PQgetvalue(result, Int32(row), Int32(column)), count: Int(length))
  }
}
