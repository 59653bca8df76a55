/// Names and values as they came over the wire, in one buffer.
///
/// A request has a handful of fields of which one or two are looked at, so nothing is made of a
/// pair until it is asked for: two allocations a request, however many pairs.
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

  /// How many pairs there are.
  package var count: Int { pairs.count }

  /// How many bytes all names and values have.
  package var byteCount: Int { bytes.count }

  /// Adds a pair.
  ///
  /// - Parameters:
  ///   - name: The name's bytes.
  ///   - value: The value's bytes.
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

  /// The values of a name, compared without regard to the case of ASCII letters, in their order.
  ///
  /// - Parameter name: The name in lower case.
  /// - Returns: Each value as text; ill-formed UTF-8 is replaced by U+FFFD.
  package func values(of name: String) -> [String] {
    var values: [String] = []
    forEach(name) { pair in
      values.append(text(pair))
      return true
    }
    return values
  }

  /// The first value of a name, compared without regard to the case of ASCII letters.
  ///
  /// - Parameter name: The name in lower case.
  /// - Returns: The value as text; `nil` when there is none.
  package func first(_ name: String) -> String? {
    var value: String?
    forEach(name) { pair in
      value = text(pair)
      return false
    }
    return value
  }

  /// Whether the first value of a name is a text, byte by byte; no text is made for it.
  ///
  /// - Parameters:
  ///   - name: The name in lower case.
  ///   - text: The text.
  /// - Returns: Whether it is; no, when there is no such name.
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

  /// How many pairs have a name.
  ///
  /// - Parameter name: The name in lower case.
  /// - Returns: The number.
  package func count(of name: String) -> Int {
    var count = 0
    forEach(name) { _ in
      count += 1
      return true
    }
    return count
  }

  /// Whether each name is a token (RFC 9110 §5.6.2), as the name of a header field has to be.
  package var namesAreTokens: Bool {
    pairs.allSatisfy { pair in
      pair.nameStart < pair.valueStart
        && bytes[Int(pair.nameStart)..<Int(pair.valueStart)].allSatisfy(Self.isTokenByte)
    }
  }

  /// Whether a byte may stand in a token (RFC 9110 §5.6.2).
  static func isTokenByte(_ byte: UInt8) -> Bool {
    // A bit for each ASCII character: a name may be 8 KiB long.
    let mask = byte < 64 ? tokenBytesBelow64 : byte < 128 ? tokenBytesFrom64 : 0
    return mask >> UInt64(byte & 63) & 1 == 1
  }

  /// `!#$%&'*+-.` and digits.
  private static var tokenBytesBelow64: UInt64 { 0x03FF_6CFA_0000_0000 }
  /// Letters, `^_`, `` ` ``, `|` and `~`.
  private static var tokenBytesFrom64: UInt64 { 0x57FF_FFFF_C7FF_FFFE }

  /// Whether the values of a name, lists with commas between their members, have a member (RFC 9110
  /// §5.6.1).
  ///
  /// Members are compared without regard to the case of ASCII letters, and without their parameters.
  /// No text is made, and no more than 32 members of each value are looked at.
  ///
  /// - Parameters:
  ///   - name: The name in lower case.
  ///   - member: The member in lower case.
  /// - Returns: Whether it is there.
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
          left == right || (left >= 0x41 && left <= 0x5A && left | 0x20 == right)
        })
      {
        // What follows is nothing but space, or parameters.
        let next = candidate.dropFirst(member.count).first { $0 != 0x20 && $0 != 0x09 }
        if next == nil || next == UInt8(ascii: ";") { return true }
      }
      guard end < rest.endIndex else { return false }
      rest = rest[(end + 1)...]
    }
    return false
  }

  /// Goes through the pairs of a name until `body` says that it has enough.
  ///
  /// Over plain memory: a request is asked for twenty names, and slices of an array would be
  /// retained for each pair that is not the one.
  // Inlined, or what `body` uses would be allocated or retained for each name.
  @inline(__always)
  private func forEach(_ name: String, _ body: (Pair) -> Bool) {
    var name = name
    name.withUTF8 { name in
      bytes.withUnsafeBufferPointer { bytes in
        for pair in pairs where pair.valueStart - pair.nameStart == name.count {
          let candidate = bytes[Int(pair.nameStart)..<Int(pair.valueStart)]
          let isEqual = zip(candidate, name).allSatisfy { left, right in
            left == right || (left >= 0x41 && left <= 0x5A && left | 0x20 == right)
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
