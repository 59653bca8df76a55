/// Domains that are much like a big provider's, and are not known to be real.
enum DomainTypo {
  /// The domain that was meant; `nil` when nothing is near, or the domain is known to be real.
  ///
  /// Only long names are compared: short ones are near to too many real ones.
  static func correction(of domain: String) -> String? {
    if KnownDomains.contains(domain) || isNational(domain) { return nil }
    let typed = Spelling(domain)
    var nearest: (target: Spelling, distance: Int)?
    for target in targets where typed.isPerhapsNear(target) {
      let distance = distance(from: typed.octets, to: target.octets)
      guard distance == 1 || (distance == 2 && typed.octets.first == target.octets.first) else {
        continue
      }
      if distance < nearest?.distance ?? .max { nearest = (target, distance) }
    }
    return nearest?.target.domain ?? correctedEnding(of: domain)
  }

  /// A domain, and what is quickly compared of it.
  private struct Spelling {
    let domain: String
    let octets: [UInt8]
    /// A bit for each octet that occurs, by its last six bits.
    private let occurring: UInt64

    init(_ domain: String) {
      self.domain = domain
      octets = Array(domain.utf8)
      occurring = octets.reduce(0) { $0 | 1 << UInt64($1 & 63) }
    }

    /// Whether two edits could lead from one to the other: each changes the length by at most one,
    /// brings at most one octet and takes at most one away.
    ///
    /// Without this the distance is measured thirteen times for each address, in 4 µs.
    func isPerhapsNear(_ other: Spelling) -> Bool {
      abs(octets.count - other.octets.count) <= 2
        && (occurring & ~other.occurring).nonzeroBitCount <= 2
        && (other.occurring & ~occurring).nonzeroBitCount <= 2
    }
  }

  /// The first labels of the targets under `.com`: typed alone, the ending is missing.
  static let providerNames: Set<String> = [
    "gmail", "yahoo", "hotmail", "outlook", "icloud", "googlemail", "protonmail", "fastmail",
    "btinternet",
  ]

  /// In the order in which ties are decided.
  private static let targets = [
    "gmail.com", "yahoo.com", "hotmail.com", "outlook.com", "icloud.com", "googlemail.com",
    "protonmail.com", "fastmail.com", "btinternet.com", "comcast.net", "verizon.net",
    "hotmail.co.uk", "yahoo.co.uk",
  ].map(Spelling.init)

  /// Providers that have a domain in most countries: `yahoo.dk`, `hotmail.com.ar`.
  private static let nationalNames: Set<Substring> = ["yahoo", "hotmail", "outlook", "live", "msn"]

  private static func isNational(_ domain: String) -> Bool {
    guard let name = KnownDomains.brand(ofNationalDomain: domain), nationalNames.contains(name)
    else { return false }
    // Three countries are a slip for com.
    return ![".com", ".cm", ".co", ".om"].contains { domain.hasSuffix($0) }
  }

  private static func correctedEnding(of domain: String) -> String? {
    guard let dot = domain.utf8.lastIndex(of: Octet.dot) else { return nil }
    let meant: String
    switch domain[domain.utf8.index(after: dot)...] {
    case "con", "cmo", "ocm", "vom", "xom", "comm", "coom", "cpm", "cim": meant = "com"
    case "nte", "ner", "ent": meant = "net"
    case "ogr", "rog": meant = "org"
    default: return nil
    }
    return "\(domain[..<dot]).\(meant)"
  }

  /// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
  private static func distance(from first: [UInt8], to second: [UInt8]) -> Int {
    // What both begin and end with needs no edit.
    var (first, second) = (first[...], second[...])
    while let octet = first.first, octet == second.first {
      first.removeFirst()
      second.removeFirst()
    }
    while let octet = first.last, octet == second.last {
      first.removeLast()
      second.removeLast()
    }
    return wholeDistance(from: Array(first), to: Array(second))
  }

  private static func wholeDistance(from first: [UInt8], to second: [UInt8]) -> Int {
    var beforeLast = Array(repeating: 0, count: second.count + 1)
    var last = Array(0...second.count)
    var current = beforeLast
    for (row, octet) in first.enumerated() {
      current[0] = row + 1
      for (column, other) in second.enumerated() {
        var best = min(
          last[column + 1] + 1,
          current[column] + 1,
          last[column] + (octet == other ? 0 : 1)
        )
        if row > 0, column > 0, octet == second[column - 1], first[row - 1] == other {
          best = min(best, beforeLast[column - 1] + 1)
        }
        current[column + 1] = best
      }
      // The three rows take turns.
      (beforeLast, last, current) = (last, current, beforeLast)
    }
    return last[second.count]
  }
}
