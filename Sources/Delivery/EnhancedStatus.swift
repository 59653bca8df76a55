internal import Platform

/// An enhanced mail system status code, such as 5.1.1 (RFC 3463).
package struct EnhancedStatus: Hashable, Sendable {
  /// 2 for success, 4 for a transient failure, 5 for a permanent failure.
  package let category: Int
  /// The subject, 0 to 999: 1 for the address, 2 for the mailbox.
  package let subject: Int
  /// The detail, 0 to 999.
  package let detail: Int

  /// Creates a status; `nil` if a number is out of range.
  package init?(_ category: Int, _ subject: Int, _ detail: Int) {
    guard category == 2 || category == 4 || category == 5 else { return nil }
    guard 0...999 ~= subject, 0...999 ~= detail else { return nil }
    self.category = category
    self.subject = subject
    self.detail = detail
  }

  /// Parses a status such as `5.1.1`; `nil` if it is invalid.
  package init?(_ text: some StringProtocol) {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part -> Int? in
      guard 1...3 ~= part.count, part.allSatisfy(\.isASCIIDigit) else { return nil }
      return part.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
    guard parts.count == 3, numbers.count == 3, parts[0].count == 1 else { return nil }
    self.init(numbers[0], numbers[1], numbers[2])
  }
}

extension EnhancedStatus: CustomStringConvertible {
  /// The status as it appears in a reply, such as `5.1.1`.
  package var description: String { "\(category).\(subject).\(detail)" }
}
