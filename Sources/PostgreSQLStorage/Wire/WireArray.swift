/// One-dimensional arrays in binary format.
///
/// The format consists of the number of dimensions, a flag for NULLs, the type, the length, the
/// first index, and each element after its length.
enum WireArray {
  /// The length that represents NULL.
  private static let null: Int32 = -1

  /// Appends an array without its length in bytes; an empty one has no dimensions.
  static func append<Element: WireValue>(
    _ elements: some Collection<Element?>, to bytes: inout [UInt8]
  ) {
    let flags = bytes.count + 4
    bytes.append(bigEndian: Int32(elements.isEmpty ? 0 : 1))
    bytes.append(bigEndian: Int32(0))
    bytes.append(bigEndian: Element.wireType.rawValue)
    guard !elements.isEmpty else { return }
    bytes.append(bigEndian: Int32(truncatingIfNeeded: elements.count))
    bytes.append(bigEndian: Int32(1))
    var hasNull = false
    for element in elements {
      guard let element else {
        bytes.append(bigEndian: null)
        hasNull = true
        continue
      }
      let start = bytes.count
      bytes.append(bigEndian: null)
      element.append(to: &bytes)
      let length = Int32(truncatingIfNeeded: bytes.count - start - 4)
      withUnsafeBytes(of: length.bigEndian) { length in
        for (index, byte) in length.enumerated() { bytes[start + index] = byte }
      }
    }
    if hasNull { bytes[flags + 3] = 1 }
  }

  /// Reads an array of at most one dimension; returns `nil` if the bytes are not exactly such an
  /// array.
  static func read<Element: WireValue>(
    _ bytes: UnsafeRawBufferPointer, of type: Element.Type = Element.self
  ) -> [Element?]? {
    var rest = WireReader(bytes)
    guard let dimensions: Int32 = rest.integer(), rest.integer(as: Int32.self) != nil,
      rest.integer(as: UInt32.self) == Element.wireType.rawValue
    else { return nil }
    if dimensions == 0 { return rest.isEmpty ? [] : nil }
    guard dimensions == 1, let count: Int32 = rest.integer(), count >= 0,
      rest.integer(as: Int32.self) != nil
    else { return nil }
    var elements: [Element?] = []
    // Each element contains at least its length, so a false count cannot reserve too much memory.
    elements.reserveCapacity(min(Int(count), bytes.count / 4))
    for _ in 0..<count {
      guard let length: Int32 = rest.integer() else { return nil }
      if length == null {
        elements.append(nil)
      } else {
        guard let part = rest.bytes(Int(length)), let element = Element.read(part) else {
          return nil
        }
        elements.append(element)
      }
    }
    return rest.isEmpty ? elements : nil
  }
}

/// A reader that never exceeds the end of its bytes.
struct WireReader {
  private var rest: UnsafeRawBufferPointer

  /// Creates a reader of bytes, which must outlive it.
  init(_ bytes: UnsafeRawBufferPointer) {
    rest = bytes
  }

  /// Whether all bytes have been read.
  var isEmpty: Bool { rest.isEmpty }

  /// Reads bytes; returns `nil` if fewer are left, or if the count is negative.
  mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer? {
    guard count >= 0, count <= rest.count else { return nil }
    defer { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
    return UnsafeRawBufferPointer(rebasing: rest[..<count])
  }

  /// Reads an integer, most significant byte first; returns `nil` if fewer bytes are left.
  mutating func integer<Integer: FixedWidthInteger>(
    as type: Integer.Type = Integer.self
  )
    -> Integer?
  {
    bytes(MemoryLayout<Integer>.size).flatMap { $0.bigEndianInteger() }
  }
}
