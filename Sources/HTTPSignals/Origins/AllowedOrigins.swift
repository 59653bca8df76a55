/// The origins whose pages may use the service.
package struct AllowedOrigins: Hashable, Sendable {
  /// One origin, or all subdomains of one.
  private struct Pattern: Hashable {
    let origin: WebOrigin
    /// The suffix of the host of every subdomain; `nil` if the pattern is the origin itself.
    let suffix: String?
  }

  private let patterns: [Pattern]

  /// The empty list.
  package static let none = AllowedOrigins(patterns: [])

  /// Parses comma-separated origins, or `none` for an empty list; `nil` if an origin is invalid.
  ///
  /// `https://*.example.org` matches every subdomain of `example.org`, but not `example.org`
  /// itself. An origin may end with a slash.
  package init?(_ text: String) {
    if text == "none" {
      self = .none
      return
    }
    var patterns: [Pattern] = []
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      let item = String(item.drop { $0 == " " })
      let isOfSubdomains = item.contains("://*.")
      let name = isOfSubdomains ? item.replacing("://*.", with: "://", maxReplacements: 1) : item
      guard let origin = WebOrigin(withEmptyPath: name) else { return nil }
      patterns.append(Pattern(origin: origin, suffix: isOfSubdomains ? ".\(origin.host)" : nil))
    }
    self.init(patterns: patterns)
  }

  private init(patterns: [Pattern]) {
    self.patterns = patterns
  }

  package func contains(_ origin: WebOrigin) -> Bool {
    patterns.contains { pattern in
      guard let suffix = pattern.suffix else { return pattern.origin == origin }
      return origin.scheme == pattern.origin.scheme && origin.port == pattern.origin.port
        && origin.host.utf8.count > suffix.utf8.count
        && origin.host.utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
        && origin.host.utf8.first != UInt8(ascii: ".")
    }
  }

  /// The list as source expressions of a content security policy (CSP Level 3 §2.3.1).
  package var sources: [String] {
    patterns.map { pattern in
      let source = pattern.origin.description
      return pattern.suffix != nil
        ? source.replacing("://", with: "://*.", maxReplacements: 1) : source
    }
  }
}
