internal import Platform

/// Corrections for unknown domains that closely resemble a large provider's domain.
enum DomainTypo {
  /// Returns the likely intended domain; `nil` if none is close or the domain is known to be real.
  ///
  /// The targets are long names only, because short names are close to too many real domains.
  static func correction(of domain: String) -> String? {
    if KnownDomains.contains(domain) || isNational(domain) { return nil }
    var typed = domain
    let nearest: Target? = typed.withUTF8 { nearestTarget(of: $0) }
    return nearest?.domain ?? correctedEnding(of: domain)
  }

  private static func nearestTarget(of typed: UnsafeBufferPointer<UInt8>) -> Target? {
    let occurring = Target.occurring(in: typed)
    var nearest: (target: Target, distance: Int)?
    for target in targets where target.isPerhapsNear(typed.count, occurring) {
      let distance = target.bytes.withUnsafeBufferPointer { EditDistance.between(typed, $0) }
      guard distance == 1 || (distance == 2 && typed.first == target.bytes.first) else {
        continue
      }
      if distance < nearest?.distance ?? .max { nearest = (target, distance) }
      // The domain is not a target itself, so no distance is smaller.
      if distance == 1 { break }
    }
    return nearest?.target
  }

  /// A candidate domain with the data for a fast comparison.
  private struct Target {
    let domain: String
    let bytes: [UInt8]
    /// The set of bytes that occur: one bit for each value of a byte's low six bits.
    private let occurring: UInt64

    init(_ domain: String) {
      self.domain = domain
      bytes = Array(domain.utf8)
      occurring = bytes.withUnsafeBufferPointer { Self.occurring(in: $0) }
    }

    static func occurring(in bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
      bytes.reduce(0) { $0 | 1 << UInt64($1 & 63) }
    }

    /// Whether the distance can be two or less: each edit changes the length by at most one, adds
    /// at most one byte value and removes at most one.
    ///
    /// Without this check, the distance is computed thirteen times per address, which takes 4 µs.
    func isPerhapsNear(_ count: Int, _ other: UInt64) -> Bool {
      abs(bytes.count - count) <= 2
        && (occurring & ~other).nonzeroBitCount <= 2
        && (other & ~occurring).nonzeroBitCount <= 2
    }
  }

  /// The first labels of the targets under `.com`, for domains typed without their ending.
  static let providerNames: Set<String> = [
    "gmail", "yahoo", "hotmail", "outlook", "icloud", "googlemail", "protonmail", "fastmail",
    "btinternet",
  ]

  /// The candidate domains; on a tie, the first one wins.
  private static let targets = [
    "gmail.com", "yahoo.com", "hotmail.com", "outlook.com", "icloud.com", "googlemail.com",
    "protonmail.com", "fastmail.com", "btinternet.com", "comcast.net", "verizon.net",
    "hotmail.co.uk", "yahoo.co.uk",
  ].map(Target.init)

  /// Providers that have a domain in most countries: `yahoo.dk`, `hotmail.com.ar`.
  private static let nationalNames: Set<Substring> = ["yahoo", "hotmail", "outlook", "live", "msn"]

  private static func isNational(_ domain: String) -> Bool {
    // Most names are longer than these; skip them early.
    guard let dot = domain.utf8.firstIndex(of: .dot),
      domain.utf8.distance(from: domain.startIndex, to: dot) <= 7,
      let name = KnownDomains.brand(ofNationalDomain: domain), nationalNames.contains(name)
    else { return false }
    // Three country endings are likely typos of `.com`.
    return ![".com", ".cm", ".co", ".om"].contains { domain.hasSuffix($0) }
  }

  private static func correctedEnding(of domain: String) -> String? {
    guard let dot = domain.utf8.lastIndex(of: .dot) else { return nil }
    let meant: String
    let ending = domain[domain.utf8.index(after: dot)...]
    // No correctable ending is as short as a country code.
    guard ending.utf8.count > 2, ending != "com" else { return nil }
    switch ending {
    case "con", "cmo", "ocm", "vom", "xom", "comm", "coom", "cpm", "cim": meant = "com"
    case "nte", "ner", "ent": meant = "net"
    case "ogr", "rog": meant = "org"
    default: return nil
    }
    return "\(domain[..<dot]).\(meant)"
  }
}
