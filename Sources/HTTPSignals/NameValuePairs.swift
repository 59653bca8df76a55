/// Names and values as they came over the wire, in one buffer.
///
/// A request has a handful of fields of which one or two are looked at, so nothing is made of a
/// pair until it is asked for: two allocations a request, however many pairs.
package struct NameValuePairs: Sendable {
  private struct Pair {
    var nameStart: Int32
    var valueStart: Int32
    var end: Int32
  }

  private var octets: [UInt8] = []
  private var pairs: [Pair] = []

  /// Makes an empty list.
  package init() {}

  /// How many pairs there are.
  package var count: Int { pairs.count }

  /// How many octets all names and values have.
  package var octetCount: Int { octets.count }

  /// Adds a pair.
  ///
  /// - Parameters:
  ///   - name: The name's octets.
  ///   - value: The value's octets.
  package mutating func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    if pairs.isEmpty {
      pairs.reserveCapacity(16)
      octets.reserveCapacity(512)
    }
    let start = octets.count
    octets.append(contentsOf: name)
    octets.append(contentsOf: value)
    pairs.append(
      Pair(
        nameStart: Int32(truncatingIfNeeded: start),
        valueStart: Int32(truncatingIfNeeded: start + name.count),
        end: Int32(truncatingIfNeeded: octets.count)
      )
    )
  }

  /// The values of a name, compared without regard to the case of ASCII letters, in their order.
  ///
  /// - Parameter name: The name in lower case.
  /// - Returns: Each value as text; ill-formed UTF-8 is replaced by U+FFFD.
  package func values(of name: String) -> [String] {
    pairs.filter { matches($0, name) }.map(text)
  }

  /// The first value of a name, compared without regard to the case of ASCII letters.
  ///
  /// - Parameter name: The name in lower case.
  /// - Returns: The value as text; `nil` when there is none.
  package func first(_ name: String) -> String? {
    pairs.first { matches($0, name) }.map(text)
  }

  /// How many pairs have a name.
  ///
  /// - Parameter name: The name in lower case.
  /// - Returns: The number.
  package func count(of name: String) -> Int {
    pairs.reduce(0) { matches($1, name) ? $0 + 1 : $0 }
  }

  /// Whether each name is a token (RFC 9110 §5.6.2), as the name of a header field has to be.
  package var namesAreTokens: Bool {
    pairs.allSatisfy { pair in
      pair.nameStart < pair.valueStart
        && octets[Int(pair.nameStart)..<Int(pair.valueStart)].allSatisfy(Self.isTokenOctet)
    }
  }

  static func isTokenOctet(_ octet: UInt8) -> Bool {
    switch octet {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "!"), UInt8(ascii: "#"),
      UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "'"),
      UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }

  private func matches(_ pair: Pair, _ name: String) -> Bool {
    let candidate = octets[Int(pair.nameStart)..<Int(pair.valueStart)]
    guard candidate.count == name.utf8.count else { return false }
    return zip(candidate, name.utf8).allSatisfy { left, right in
      left == right || (left >= 0x41 && left <= 0x5A && left | 0x20 == right)
    }
  }

  private func text(_ pair: Pair) -> String {
    String(decoding: octets[Int(pair.valueStart)..<Int(pair.end)], as: UTF8.self)
  }
}
