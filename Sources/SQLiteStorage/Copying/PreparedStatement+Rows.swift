internal import CSQLite
internal import MailingList

extension PreparedStatement {
  /// Appends the columns of the row to a part, and ends the row there.
  ///
  /// - Throws: `StoreError.damaged` for a value that does not fit its column.
  func appendRow(_ columns: [ListTable.Column], to part: inout RowPart) throws(StoreError) {
    var index: Int32 = 0
    for column in columns {
      if sqlite3_column_type(handle, index) == SQLITE_NULL {
        part.appendNull()
      } else {
        try append(index, column.kind, to: &part)
      }
      index += 1
    }
    part.endRow()
  }

  /// Appends a column whose value is not NULL.
  private func append(
    _ column: Int32, _ kind: ListTable.Kind, to part: inout RowPart
  ) throws(StoreError) {
    switch kind {
    case .flag: part.append(UInt8(sqlite3_column_int64(handle, column) == 0 ? 0 : 1))
    case .small: part.append(try integer(column, as: Int16.self))
    case .number: part.append(try integer(column, as: Int32.self))
    case .id, .time: part.append(sqlite3_column_int64(handle, column))
    case .text:
      let start = sqlite3_column_text(handle, column)
      let text = UnsafeRawBufferPointer(
        start: start, count: Int(sqlite3_column_bytes(handle, column)))
      guard text.contains(0) else { return part.append(text) }
      // PostgreSQL rejects U+0000; its sign-ups contain U+FFFD instead.
      let replaced = text.flatMap { $0 == 0 ? [0xEF, 0xBF, 0xBD] : [$0] }
      replaced.withUnsafeBytes { part.append($0) }
    case .bytes:
      let start = sqlite3_column_blob(handle, column)
      part.append(
        UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }
  }

  private func integer<Integer: FixedWidthInteger>(
    _ column: Int32, as type: Integer.Type
  ) throws(StoreError) -> Integer {
    guard let integer = Integer(exactly: sqlite3_column_int64(handle, column)) else {
      throw .damaged
    }
    return integer
  }

  /// Binds fields of a row to consecutive parameters, starting with the first.
  ///
  /// SQLite does not copy texts and bytes: they must not move until the statement is reset. The
  /// corresponding C functions are `sqlite3_bind_*`.
  func bind(
    _ fields: inout RowFields, _ columns: some Collection<ListTable.Column>
  ) throws(StoreError) {
    var index: Int32 = 0
    for column in columns {
      index += 1
      let code: Int32
      if let field = try fields.next() {
        let count = Int32(clamping: field.count)
        switch column.kind {
        case .flag, .small, .number, .id, .time:
          code = sqlite3_bind_int64(handle, index, try Self.integer(field))
        case .text:
          let text = field.baseAddress?.assumingMemoryBound(to: CChar.self)
          code = sqlite3_bind_text(handle, index, text, count, nil)
        case .bytes: code = sqlite3_bind_blob(handle, index, field.baseAddress, count, nil)
        }
      } else {
        code = sqlite3_bind_null(handle, index)
      }
      guard code == SQLITE_OK else { throw StoreError(code: code) }
    }
  }

  private static func integer(_ field: UnsafeRawBufferPointer) throws(StoreError) -> Int64 {
    switch field.count {
    case 1: Int64(field[0])
    case 2: Int64(Int16(bigEndian: field.loadUnaligned(as: Int16.self)))
    case 4: Int64(Int32(bigEndian: field.loadUnaligned(as: Int32.self)))
    case 8: Int64(bigEndian: field.loadUnaligned(as: Int64.self))
    default: throw .damaged
    }
  }
}
