internal import MailingList

/// The conversion of rows from and to the formats of the server.
enum RowParts {
  /// The schema, as the prefix of table names in SQL.
  static let schema = "enlist."

  /// Reads all rows of a result.
  static func read(_ rows: QueryResult, of table: ListTable) throws(PostgreSQLError) -> RowPart {
    var part = RowPart(of: table)
    for row in 0..<rows.count {
      var index = 0
      for column in table.columns {
        if let field = try rows.bytes(row, index, column.kind.wireType) {
          if column.kind == .time {
            guard let time = Timestamp.read(field) else { throw .malformed }
            part.append(time.millisecondsSince1970)
          } else {
            part.append(field)
          }
        } else {
          part.appendNull()
        }
        index += 1
      }
      part.endRow()
    }
    guard rows.count > 0 else { return part }
    // The server's times are more precise than those of a part.
    var key = RowPart(of: table)
    for index in 0..<table.keyCount {
      guard let field = try rows.bytes(rows.count - 1, index, table.columns[index].kind.wireType)
      else { throw .malformed }
      key.append(field)
    }
    part.otherKey = key.bytes
    return part
  }

  /// Returns the data of `COPY … FROM STDIN (FORMAT binary)`.
  ///
  /// The format consists of a header, each row after the number of its fields, and an end marker
  /// (<https://www.postgresql.org/docs/current/sql-copy.html>).
  ///
  /// - Throws: `StoreError.damaged` if the rows do not match the table.
  static func copyData(_ part: RowPart, of table: ListTable) throws(StoreError) -> [UInt8] {
    var data = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00]
    data.reserveCapacity(part.bytes.count + 2 * part.sum.count + 32)
    // No flags, and no extension of the header.
    data.append(bigEndian: Int64(0))
    let result = part.bytes.withUnsafeBytes { bytes in
      Result { () throws(StoreError) in
        var fields = RowFields(bytes)
        while !fields.isEmpty { try appendRow(&fields, table.columns, to: &data) }
      }
    }
    try result.get()
    data.append(bigEndian: Int16(-1))
    return data
  }

  private static func appendRow(
    _ fields: inout RowFields, _ columns: [ListTable.Column], to data: inout [UInt8]
  ) throws(StoreError) {
    data.append(bigEndian: Int16(truncatingIfNeeded: columns.count))
    for column in columns {
      guard let field = try fields.next() else {
        data.append(bigEndian: Int32(-1))
        continue
      }
      data.append(bigEndian: Int32(truncatingIfNeeded: field.count))
      if column.kind == .time {
        guard let time: Int64 = field.bigEndianInteger() else { throw .damaged }
        Timestamp(millisecondsSince1970: time).append(to: &data)
      } else {
        data.append(contentsOf: field)
      }
    }
  }

  /// Appends a key to the parameters of a query.
  ///
  /// - Throws: `StoreError.damaged` if the bytes are not a key of the table.
  static func bind(_ key: [UInt8], of table: ListTable, to query: inout Query) throws(StoreError) {
    let result = key.withUnsafeBytes { bytes in
      Result { () throws(StoreError) in
        var fields = RowFields(bytes)
        for column in table.columns.prefix(table.keyCount) {
          guard let field = try fields.next() else { throw .damaged }
          query.bind(field, as: column.kind.wireType)
        }
      }
    }
    try result.get()
  }
}

extension ListTable.Kind {
  /// The type of the server's column.
  var wireType: WireType {
    switch self {
    case .flag: .bool
    case .small: .int2
    case .number: .int4
    case .id: .int8
    case .time: .timestamptz
    case .text: .text
    case .bytes: .bytea
    }
  }
}
