internal import CMicrohttpd

/// The layout of a parsed head in memory, which shows whether there are gaps between its parts.
///
/// libmicrohttpd parses a head in place, so all parts are where they arrived, with NULs instead of
/// their separators. Bytes that it has skipped or moved leave a gap that a well-formed head does
/// not have: bytes after a NUL, a line that ended the head early, a folded line.
struct FieldLayout {
  /// The first byte after the previous part; a NUL.
  private var cursor: UnsafePointer<CChar>
  private let version: UnsafePointer<CChar>
  private var isInFields = false
  private var isIntact = true

  /// Creates a layout that begins with the request line (RFC 9112 §3).
  init(target: UnsafePointer<CChar>, version: UnsafePointer<CChar>) {
    cursor = target + Self.length(target)
    self.version = version
  }

  /// Adds the next pair, in the order of arrival; the value is `nil` for a query pair without an
  /// equals sign.
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

  /// Returns whether there was no gap between the parts, up to the end of the head.
  mutating func isIntact(upTo end: UnsafePointer<CChar>) -> Bool {
    enterFields()
    return isIntact && end - cursor == 4 && (0..<4).allSatisfy { cursor[$0] == 0 }
  }

  /// Moves the cursor past the version, to the line end that follows it.
  private mutating func enterFields() {
    guard !isInFields else { return }
    isInFields = true
    // One NUL stands for the space, and another for the question mark of an empty query.
    isIntact = isIntact && (version - cursor == 1 || version - cursor == 2)
    cursor = version + Self.length(version)
  }

  /// Returns whether only `CR LF` precedes the next name.
  private func isLineEnd(before name: UnsafePointer<CChar>) -> Bool {
    name - cursor == 2 && cursor[0] == 0 && cursor[1] == 0
  }

  /// Returns whether only a colon and white space separate a name and its value.
  private func isColon(
    between nameEnd: UnsafePointer<CChar>,
    and value: UnsafePointer<CChar>
  ) -> Bool {
    // A larger distance exceeds the memory of a connection, so the value lies somewhere else.
    guard (1...65_536).contains(value - nameEnd), nameEnd[0] == 0 else { return false }
    return (1..<(value - nameEnd)).allSatisfy { nameEnd[$0] == 0x20 || nameEnd[$0] == 0x09 }
  }

  private static func length(_ text: UnsafePointer<CChar>) -> Int {
    var count = 0
    while text[count] != 0 { count += 1 }
    return count
  }
}

/// Adds the position of a header field or a query pair to a ``FieldLayout``
/// (`MHD_KeyValueIteratorN`).
let layoutHandler: MHD_KeyValueIteratorN = { closure, kind, name, nameSize, value, valueSize in
  guard let closure else { return .NO }
  if kind == .COOKIE_KIND || CookieMarker.isMarker(name) { return .YES }
  // `RequestHead` passes the layout, which is valid during the call.
  closure.assumingMemoryBound(to: FieldLayout.self).pointee.add(
    kind,
    name: UnsafeBufferPointer(start: name, count: nameSize),
    value: value.map { UnsafeBufferPointer(start: $0, count: valueSize) }
  )
  return .YES
}
