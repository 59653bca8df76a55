internal import Platform

/// The two carriers whose old mailboxes with doubled or trailing dots still exist.
enum LegacyCarrier {
  private static let domains: [StaticString] = ["docomo.ne.jp", "ezweb.ne.jp"]

  /// Whether a domain is exactly that of a legacy carrier, in any letter case.
  static func isDomain(_ domain: some Collection<UInt8>) -> Bool {
    domains.contains { name in
      name.withUTF8Buffer { bytes in
        bytes.count == domain.count
          && zip(bytes, domain).allSatisfy { $0 == $1.asciiLowercased }
      }
    }
  }
}
