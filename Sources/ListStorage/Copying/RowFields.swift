package import MailingList

/// A reader of the fields of rows, or of a key.
package struct RowFields {
  private var rest: UnsafeRawBufferPointer

  /// Creates a reader of bytes that must outlive it.
  package init(_ bytes: UnsafeRawBufferPointer) {
    rest = bytes
  }

  package var isEmpty: Bool { rest.isEmpty }

  /// Reads the next field; `nil` is null.
  ///
  /// - Throws: ``StoreError/damaged`` if there is no field.
  package mutating func next() throws(StoreError) -> UnsafeRawBufferPointer? {
    guard rest.count >= 4 else { throw .damaged }
    let length = Int(Int32(bigEndian: rest.loadUnaligned(as: Int32.self)))
    rest = UnsafeRawBufferPointer(rebasing: rest[4...])
    if length == -1 { return nil }
    guard length >= 0, length <= rest.count else { throw .damaged }
    defer { rest = UnsafeRawBufferPointer(rebasing: rest[length...]) }
    return UnsafeRawBufferPointer(rebasing: rest[..<length])
  }
}
