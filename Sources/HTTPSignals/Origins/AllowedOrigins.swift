/// Sites that are allowed to use the service from their own pages.
package struct AllowedOrigins: Hashable, Sendable {
  /// One site, or the subdomains of one.
  private struct Pattern: Hashable {
    let origin: WebOrigin
    /// What the host of a subdomain ends with; `nil` when the site itself is meant.
    let suffix: String?
  }

  private let patterns: [Pattern]

  /// Nobody's.
  package static let none = AllowedOrigins(patterns: [])

  /// Reads a list.
  ///
  /// - Parameter text: Origins with a comma between them; `https://*.example.org` means every
  ///   subdomain of `example.org`, and not that itself. `none` is an empty list.
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
      guard let origin = WebOrigin(name) else { return nil }
      patterns.append(Pattern(origin: origin, suffix: isOfSubdomains ? ".\(origin.host)" : nil))
    }
    self.init(patterns: patterns)
  }

  private init(patterns: [Pattern]) {
    self.patterns = patterns
  }

  /// Whether a site is one of them.
  ///
  /// - Parameter origin: The site.
  /// - Returns: Whether it is.
  package func contains(_ origin: WebOrigin) -> Bool {
    patterns.contains { pattern in
      guard let suffix = pattern.suffix else { return pattern.origin == origin }
      return origin.scheme == pattern.origin.scheme && origin.port == pattern.origin.port
        && origin.host.utf8.count > suffix.utf8.count
        && origin.host.utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
        && origin.host.utf8.first != UInt8(ascii: ".")
    }
  }

  /// The list as sources of a content security policy (CSP Level 3 §2.3.1).
  package var sources: [String] {
    patterns.map { pattern in
      let source = pattern.origin.description
      return pattern.suffix != nil
        ? source.replacing("://", with: "://*.", maxReplacements: 1) : source
    }
  }
}
