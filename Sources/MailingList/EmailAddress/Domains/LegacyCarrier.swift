/// Two carriers that gave out mailboxes with doubled and trailing dots, which still exist.
enum LegacyCarrier {
  private static let domains: [StaticString] = ["docomo.ne.jp", "ezweb.ne.jp"]

  /// Whether a domain is exactly that of one of them, in any case.
  static func isDomain(_ domain: some Collection<UInt8>) -> Bool {
    domains.contains { name in
      name.withUTF8Buffer { bytes in
        bytes.count == domain.count
          && zip(bytes, domain).allSatisfy { $0 == ASCIIByte.lowercased($1) }
      }
    }
  }
}
