internal import ASCII

/// Names and values as received, in one buffer.
///
/// A request has a handful of fields, of which the service uses one or two. A value becomes a
/// `String` only when it is requested, so a request needs two allocations for any number of pairs.
package struct FieldList: Sendable {
  private struct Pair {
    var nameStart: Int32
    var valueStart: Int32
    var end: Int32
  }

  private var bytes: [UInt8] = []
  private var pairs: [Pair] = []

  /// Makes an empty list.
  package init() {}

  /// The number of pairs.
  package var count: Int { pairs.count }

  /// The total length of all names and values, in bytes.
  package var byteCount: Int { bytes.count }

  /// Appends a pair.
  ///
  /// - Parameters:
  ///   - name: The bytes of the name.
  ///   - value: The bytes of the value.
  package mutating func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    if pairs.isEmpty {
      pairs.reserveCapacity(16)
      bytes.reserveCapacity(512)
    }
    let start = bytes.count
    bytes.append(contentsOf: name)
    bytes.append(contentsOf: value)
    pairs.append(
      Pair(
        nameStart: Int32(truncatingIfNeeded: start),
        valueStart: Int32(truncatingIfNeeded: start + name.count),
        end: Int32(truncatingIfNeeded: bytes.count)
      )
    )
  }

  /// Returns the values of a name in their order; ASCII letters match in either case.
  ///
  /// - Parameter name: The name in lower case.
  /// - Returns: The values, with ill-formed UTF-8 replaced by U+FFFD.
  package func values(of name: String) -> [String] {
    var values: [String] = []
    forEach(name) { pair in
      values.append(text(pair))
      return true
    }
    return values
  }

  /// Returns the first value of a name; ASCII letters match in either case.
  ///
  /// - Parameter name: The name in lower case.
  /// - Returns: The value, with ill-formed UTF-8 replaced by U+FFFD; `nil` if there is none.
  package func first(_ name: String) -> String? {
    var value: String?
    forEach(name) { pair in
      value = text(pair)
      return false
    }
    return value
  }

  /// Returns whether the first value of a name equals a text, byte by byte; makes no `String`.
  ///
  /// - Parameters:
  ///   - name: The name in lower case.
  ///   - text: The text.
  /// - Returns: Whether the value equals the text; `false` if the list does not have the name.
  package func first(_ name: String, is text: StaticString) -> Bool {
    var isEqual = false
    forEach(name) { pair in
      isEqual = text.withUTF8Buffer { text in
        bytes[Int(pair.valueStart)..<Int(pair.end)].elementsEqual(text)
      }
      return false
    }
    return isEqual
  }

  /// Returns the number of pairs with a name.
  ///
  /// - Parameter name: The name in lower case.
  /// - Returns: The number of pairs.
  package func count(of name: String) -> Int {
    var count = 0
    forEach(name) { _ in
      count += 1
      return true
    }
    return count
  }

  /// Whether every name is a token (RFC 9110 §5.6.2), as header field names must be.
  package var namesAreTokens: Bool {
    pairs.allSatisfy { pair in
      pair.nameStart < pair.valueStart
        && bytes[Int(pair.nameStart)..<Int(pair.valueStart)].allSatisfy(Self.isTokenByte)
    }
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

  /// Returns whether the comma-separated values of a name contain a member (RFC 9110 §5.6.1).
  ///
  /// ASCII letters match in either case, and the parameters of a member are ignored. The search
  /// makes no `String`, and checks at most 32 members of each value.
  ///
  /// - Parameters:
  ///   - name: The name in lower case.
  ///   - member: The member in lower case.
  /// - Returns: Whether a value contains the member.
  package func list(_ name: String, contains member: StaticString) -> Bool {
    var isFound = false
    forEach(name) { pair in
      isFound = bytes.withUnsafeBufferPointer { bytes in
        member.withUTF8Buffer { member in
          let value = bytes[Int(pair.valueStart)..<Int(pair.end)]
          return Self.list(UnsafeBufferPointer(rebasing: value), contains: member)
        }
      }
      return !isFound
    }
    return isFound
  }

  private static func list(
    _ value: UnsafeBufferPointer<UInt8>,
    contains member: UnsafeBufferPointer<UInt8>
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

  /// Calls `body` with each pair that has a name, until it returns `false`.
  ///
  /// It iterates over an unsafe buffer, because a request is searched for twenty names, and array
  /// slices would be retained and released for each pair that does not match.
  // Inlined, because otherwise the context of `body` would be allocated or retained for each name.
  @inline(__always)
  private func forEach(_ name: String, _ body: (Pair) -> Bool) {
    var name = name
    name.withUTF8 { name in
      bytes.withUnsafeBufferPointer { bytes in
        for pair in pairs where pair.valueStart - pair.nameStart == name.count {
          let candidate = bytes[Int(pair.nameStart)..<Int(pair.valueStart)]
          let isEqual = zip(candidate, name).allSatisfy { left, right in
            left == right || left.asciiLowercased == right
          }
          if isEqual, !body(pair) { return }
        }
      }
    }
  }

  private func text(_ pair: Pair) -> String {
    String(decoding: bytes[Int(pair.valueStart)..<Int(pair.end)], as: UTF8.self)
  }
}
