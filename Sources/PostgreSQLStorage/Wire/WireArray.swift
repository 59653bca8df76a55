/// One-dimensional arrays in binary format: the number of dimensions, whether there are nulls, the
/// type, the length, the first index, then each element with its length.
enum WireArray {
  /// The length that stands for null.
  private static let null: Int32 = -1

  /// Appends an array, without its length; an empty one has no dimension.
  static func append<Element: WireValue>(
    _ elements: some Collection<Element?>,
    to bytes: inout [UInt8]
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

  /// Reads an array of at most one dimension.
  ///
  /// - Parameter bytes: Exactly the bytes of the array.
  /// - Returns: The elements; `nil` if the bytes are not such an array.
  static func read<Element: WireValue>(
    _ bytes: UnsafeRawBufferPointer,
    of type: Element.Type = Element.self
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
    // Each element has at least its length; so a wrong count reserves no memory.
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

/// A reader of bytes that never reads beyond them.
struct WireReader {
  private var rest: UnsafeRawBufferPointer

  /// Creates a reader.
  ///
  /// - Parameter bytes: The bytes, which must outlive the reader.
  init(_ bytes: UnsafeRawBufferPointer) {
    rest = bytes
  }

  /// Whether all bytes have been read.
  var isEmpty: Bool { rest.isEmpty }

  /// Reads bytes.
  ///
  /// - Returns: The bytes; `nil` if fewer are left, or the count is negative.
  mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer? {
    guard count >= 0, count <= rest.count else { return nil }
    defer { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
    return UnsafeRawBufferPointer(rebasing: rest[..<count])
  }

  /// Reads an integer, most significant byte first.
  ///
  /// - Returns: The integer; `nil` if fewer bytes are left.
  mutating func integer<Integer: FixedWidthInteger>(as type: Integer.Type = Integer.self)
    -> Integer?
  {
    bytes(MemoryLayout<Integer>.size).flatMap { $0.bigEndianInteger() }
  }
}
