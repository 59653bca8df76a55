internal import Platform
package import HTTPTypes

extension FieldList {
  /// Returns the values of a name in their order, with ill-formed UTF-8 replaced by U+FFFD; ASCII
  /// letters match in either case.
  package func values(of name: HTTPField.Name) -> [String] {
    var values: [String] = []
    search(name) { value in
      values.append(String(decoding: value, as: UTF8.self))
      return true
    }
    return values
  }

  /// Returns the first value of a name, with ill-formed UTF-8 replaced by U+FFFD; ASCII letters
  /// match in either case.
  package func first(_ name: HTTPField.Name) -> String? {
    var first: String?
    search(name) { value in
      first = String(decoding: value, as: UTF8.self)
      return false
    }
    return first
  }

  /// Returns whether the first value of a name equals a text, byte by byte; creates no `String`.
  package func first(_ name: HTTPField.Name, is text: StaticString) -> Bool {
    var isEqual = false
    search(name) { value in
      isEqual = text.withUTF8Buffer { text in
        value.count == text.count && zip(value, text).allSatisfy(==)
      }
      return false
    }
    return isEqual
  }

  /// Returns the number of fields with a name.
  package func count(of name: HTTPField.Name) -> Int {
    var count = 0
    search(name) { _ in
      count += 1
      return true
    }
    return count
  }

  /// Returns whether the comma-separated values of a name contain a member (RFC 9110 §5.6.1).
  ///
  /// ASCII letters match in either case, and the parameters of a member are ignored. The search
  /// creates no `String`, and checks at most 32 members of each value.
  package func list(_ name: HTTPField.Name, contains member: StaticString) -> Bool {
    var isFound = false
    search(name) { value in
      isFound = member.withUTF8Buffer { Self.list(value, contains: $0) }
      return !isFound
    }
    return isFound
  }

  private static func list(
    _ value: UnsafeBufferPointer<UInt8>, contains member: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    var rest = value[...]
    for _ in 0..<32 {
      rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
      let end = rest.firstIndex(of: UInt8(ascii: ",")) ?? rest.endIndex
      let candidate = rest[..<end]
      if candidate.count >= member.count,
        zip(candidate, member).allSatisfy({ left, right in
          left == right || left.asciiLowercased == right
        })
      {
        // Only white space or parameters may follow.
        let next = candidate.dropFirst(member.count).first { $0 != 0x20 && $0 != 0x09 }
        if next == nil || next == UInt8(ascii: ";") { return true }
      }
      guard end < rest.endIndex else { return false }
      rest = rest[(end + 1)...]
    }
    return false
  }

  /// Calls `body` with each value of a name, until it returns `false`.
  // Inlined for the same reason as `forEachField`.
  @inline(__always)
  private func search(_ name: HTTPField.Name, _ body: (UnsafeBufferPointer<UInt8>) -> Bool) {
    var wanted = name.canonicalName
    wanted.withUTF8 { wanted in
      forEachField { name, value in Self.areEqual(name, wanted) ? body(value) : true }
    }
  }

  // MARK: Names

  /// Whether every name is a token (RFC 9110 §5.6.2), as header field names must be.
  package var namesAreTokens: Bool {
    var areTokens = true
    forEachField { name, _ in
      areTokens = !name.isEmpty && name.allSatisfy(Self.isTokenByte)
      return areTokens
    }
    return areTokens
  }

  /// Returns whether a token may contain a byte (RFC 9110 §5.6.2).
  static func isTokenByte(_ byte: UInt8) -> Bool {
    // Bit masks are fast enough for a name of 8 KiB.
    let mask = byte < 64 ? tokenBytesBelow64 : byte < 128 ? tokenBytesFrom64 : 0
    return mask >> UInt64(byte & 63) & 1 == 1
  }

  /// `!#$%&'*+-.` and digits.
  private static var tokenBytesBelow64: UInt64 { 0x03FF_6CFA_0000_0000 }
  /// Letters, `^_`, `` ` ``, `|` and `~`.
  private static var tokenBytesFrom64: UInt64 { 0x57FF_FFFF_C7FF_FFFE }
}
