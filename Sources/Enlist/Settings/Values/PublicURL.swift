/// Where the outside reaches the service.
struct PublicURL: Hashable, Sendable {
  /// The address without a slash at its end, so that a path can follow.
  let text: String

  /// Reads an address.
  ///
  /// - Parameter text: `http://` or `https://`, a host, and perhaps a port and a path; anything
  ///   else is none, and so is one with user information, a query, a fragment or what has no place
  ///   in an address (RFC 3986 §2).
  init?(_ text: String) {
    let schemes = ["http://", "https://"]
    guard let scheme = schemes.first(where: { text.lowercased().hasPrefix($0) }) else { return nil }
    let rest = text.dropFirst(scheme.count)
    let authority = rest.prefix { $0 != "/" }
    guard !authority.isEmpty, authority.first != ":",
      rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
      !rest.contains(where: { "?#@\\<>\"{}|^`".contains($0) })
    else { return nil }
    var trimmed = rest
    while trimmed.last == "/" { trimmed.removeLast() }
    self.text = scheme + trimmed
  }
}
