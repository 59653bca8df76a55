/// What a client would rather have: items with qualities, as `Accept` and `Accept-Language` list
/// them (RFC 9110 §12.4.2).
package struct QualityList: Hashable, Sendable {
  /// One item, in lower case, and how much it is wanted: from 0, not at all, to 1000.
  package struct Item: Hashable, Sendable {
    /// The media range or the language range, without parameters.
    package let range: String
    /// A thousandth is the least difference there is.
    package let quality: Int
  }

  /// The items in the order in which the client sent them; at most 32, more say nothing new.
  package let items: [Item]

  /// Reads the values of a header field; what is not well-formed is left out.
  ///
  /// - Parameter values: Each value of the field.
  package init(_ values: [String]) {
    items = values.flatMap { $0.split(separator: ",") }.prefix(32).compactMap(Self.item)
  }

  private static func item(_ text: Substring) -> Item? {
    var parts = text.split(separator: ";", omittingEmptySubsequences: false).map(trimmed)
    let range = parts.removeFirst().lowercased()
    guard !range.isEmpty else { return nil }
    guard let weight = parts.last(where: { $0.lowercased().hasPrefix("q=") }) else {
      return Item(range: range, quality: 1000)
    }
    return quality(weight.dropFirst(2)).map { Item(range: range, quality: $0) }
  }

  /// `0`, `1`, and up to three digits after a point.
  private static func quality(_ text: Substring) -> Int? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, parts[0] == "0" || parts[0] == "1" else { return nil }
    let digits = parts.count == 2 ? parts[1] : ""
    guard digits.count <= 3, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    let fraction = Int(digits + String(repeating: "0", count: 3 - digits.count)) ?? 0
    return parts[0] == "1" ? (fraction == 0 ? 1000 : nil) : fraction
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while text.first == " " || text.first == "\t" { text.removeFirst() }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return text
  }
}
