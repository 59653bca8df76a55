internal import CMicrohttpd

/// Whether the parsed parts of a head lie in memory as close to each other as those of a well-formed
/// head do.
///
/// libmicrohttpd parses a head in place, so all parts of it are where they arrived, with NULs for
/// what separated them. What it has skipped or moved leaves a gap: bytes after a NUL, a line that
/// ended the head early, a folded line.
struct FieldLayout {
  /// The first byte after the part before, which is a NUL.
  private var cursor: UnsafePointer<CChar>
  private let version: UnsafePointer<CChar>
  private var isInFields = false
  private var isIntact = true

  /// Begins with the request line (RFC 9112 §3).
  ///
  /// - Parameters:
  ///   - target: The target up to the query.
  ///   - version: The version, in the same line.
  init(target: UnsafePointer<CChar>, version: UnsafePointer<CChar>) {
    cursor = target + Self.length(target)
    self.version = version
  }

  /// Takes the next pair, in the order in which they arrived.
  ///
  /// - Parameters:
  ///   - kind: Whether it belongs to the query or to the header fields.
  ///   - name: Its name.
  ///   - value: Its value; `nil` in a query without an equals sign.
  mutating func add(
    _ kind: MHD_ValueKind,
    name: UnsafeBufferPointer<CChar>,
    value: UnsafeBufferPointer<CChar>?
  ) {
    guard isIntact, let nameStart = name.baseAddress else { return isIntact = false }
    if kind == .GET_ARGUMENT_KIND {
      isIntact = !isInFields && nameStart == cursor + 1
      cursor = nameStart + name.count
      guard let value, let valueStart = value.baseAddress else { return }
      isIntact = isIntact && valueStart == cursor + 1
      cursor = valueStart + value.count
    } else {
      enterFields()
      isIntact = isIntact && isLineEnd(before: nameStart)
      guard isIntact, let value, let valueStart = value.baseAddress else { return isIntact = false }
      isIntact =
        isColon(between: nameStart + name.count, and: valueStart)
        && value.allSatisfy { RawFields.isValue(UInt8(bitPattern: $0)) }
      cursor = valueStart + value.count
    }
  }

  /// Whether all of it lay close together, up to the end of the head.
  ///
  /// - Parameter end: The first byte after the head.
  /// - Returns: Whether it did.
  mutating func isIntact(upTo end: UnsafePointer<CChar>) -> Bool {
    enterFields()
    return isIntact && end - cursor == 4 && (0..<4).allSatisfy { cursor[$0] == 0 }
  }

  /// Goes on behind the version, with the line end that ends there.
  private mutating func enterFields() {
    guard !isInFields else { return }
    isInFields = true
    // One NUL for the space, and one for the question mark of a query that is empty.
    isIntact = isIntact && (version - cursor == 1 || version - cursor == 2)
    cursor = version + Self.length(version)
  }

  /// Whether nothing but `CR LF` is before the next name.
  private func isLineEnd(before name: UnsafePointer<CChar>) -> Bool {
    name - cursor == 2 && cursor[0] == 0 && cursor[1] == 0
  }

  /// Whether nothing but a colon and white space is between a name and its value.
  private func isColon(
    between nameEnd: UnsafePointer<CChar>,
    and value: UnsafePointer<CChar>
  ) -> Bool {
    // More than the whole memory of a connection can only be another place.
    guard (1...65_536).contains(value - nameEnd), nameEnd[0] == 0 else { return false }
    return (1..<(value - nameEnd)).allSatisfy { nameEnd[$0] == 0x20 || nameEnd[$0] == 0x09 }
  }

  private static func length(_ text: UnsafePointer<CChar>) -> Int {
    var count = 0
    while text[count] != 0 { count += 1 }
    return count
  }
}
