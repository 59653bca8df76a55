internal import Platform
internal import HTTPTypes

/// The position of a request in a distributed trace, as reported by the client (W3C Trace Context
/// §3.2).
package struct TraceContext: Hashable, Sendable {
  /// The id of the whole trace: 32 hexadecimal digits in lower case.
  package let traceID: String
  /// The id of the client's span, which the specification calls `parent-id`: 16 such digits.
  package let spanID: String

  /// Reads the context of a request.
  ///
  /// Returns `nil` without `traceparent`, with several, and with a malformed one, which must be
  /// ignored.
  package init?(of fields: FieldList) {
    guard fields.count(of: .traceParent) == 1, let value = fields.first(.traceParent) else {
      return nil
    }
    self.init(value)
  }

  /// Parses the value of `traceparent`, for example
  /// `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01`.
  ///
  /// Returns `nil` if the value is malformed. Later versions of the format may append parts, which
  /// are ignored.
  package init?(_ text: String) {
    let parts = text.utf8.split(
      separator: UInt8(ascii: "-"), maxSplits: 4, omittingEmptySubsequences: false)
    guard parts.count >= 4,
      let version = Self.digits(parts[0], count: 2), version != "ff",
      parts.count == 4 || version != "00",
      let traceID = Self.digits(parts[1], count: 32), Self.isNonzero(traceID),
      let spanID = Self.digits(parts[2], count: 16), Self.isNonzero(spanID),
      Self.digits(parts[3], count: 2) != nil
    else { return nil }
    self.traceID = traceID
    self.spanID = spanID
  }

  private static func digits(_ part: Substring.UTF8View, count: Int) -> String? {
    guard part.count == count,
      part.allSatisfy({ $0.isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) })
    else { return nil }
    return String(Substring(part))
  }

  private static func isNonzero(_ digits: String) -> Bool {
    digits.utf8.contains { $0 != UInt8(ascii: "0") }
  }
}
