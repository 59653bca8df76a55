/// The names of hosts, which programs read only in ASCII, and people write in any script.
package enum HostName {
  /// Replaces the international hosts of a URL by their A-labels (UTS 46).
  ///
  /// The hosts are between the scheme, or the user, and the port; a host that is ASCII, or invalid,
  /// remains as it is.
  package static func ascii(in url: String) -> String {
    guard !url.utf8.allSatisfy({ $0 < 0x80 }), let scheme = url.firstRange(of: "://") else {
      return url
    }
    let authority = url[scheme.upperBound...].prefix { !"/?#".contains($0) }
    let start = authority.lastIndex(of: "@").map { url.index(after: $0) } ?? authority.startIndex
    let hosts = url[start..<authority.endIndex].split(
      separator: ",", omittingEmptySubsequences: false)
    let ascii = hosts.map { host in
      let name = host.prefix { $0 != ":" }
      return (self.ascii(name) ?? String(name)) + host[name.endIndex...]
    }
    return url[..<start] + ascii.joined(separator: ",") + url[authority.endIndex...]
  }

  private static func ascii(_ host: Substring) -> String? {
    // A pattern of subdomains has no label in front.
    let prefix = host.hasPrefix("*.") ? "*." : ""
    let typed = host.dropFirst(prefix.count).unicodeScalars
      .map { SourcePosition(scalar: $0, offset: 0) }
    guard typed.count <= 254, typed.contains(where: { !$0.scalar.isASCII }) else { return nil }
    guard let domain = try? MappedDomain(typed[...]), (try? domain.validate()) != nil else {
      return nil
    }
    return prefix + domain.ascii
  }
}
