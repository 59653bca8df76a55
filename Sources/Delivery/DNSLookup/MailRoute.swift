internal import MailingList
internal import Platform

/// The route of mail to a domain, found as specified in RFC 5321 §5.1.
enum MailRoute {
  /// Determines whether a server accepts the domain's mail.
  ///
  /// Blocks the calling thread while the DNS servers are queried.
  static func find(_ domain: String, using resolver: ResolverState) -> DeliverabilityFinding {
    do throws(ResolverState.Failure) {
      let exchanges = try resolver.records(.mx, of: domain)
      if !exchanges.isEmpty {
        let saysNone = exchanges.count == 1 && exchanges.allSatisfy(isNull)
        return finding(saysNone ? .undeliverable(.nullMX) : .deliverable, exchanges)
      }
      // Without MX records, mail goes to the address of the domain itself.
      let addresses = try reachableAddresses(of: domain, using: resolver)
      guard !addresses.isEmpty else { return DeliverabilityFinding(.undeliverable(.noAddress)) }
      let texts = try resolver.records(.txt, of: domain)
      return finding(
        texts.contains(where: disownsAll) ? .undeliverable(.noMail) : .deliverable, addresses)
    } catch {
      switch error {
      case .noDomain: return DeliverabilityFinding(.undeliverable(.noDomain))
      case .tryAgain: return DeliverabilityFinding(.unknown(.serverFailure))
      }
    }
  }

  private static func finding(
    _ deliverability: Deliverability, _ records: [ResolverState.Record]
  ) -> DeliverabilityFinding {
    let shortest = records.map(\.timeToLive).min()
    return DeliverabilityFinding(deliverability, timeToLive: shortest.map { .seconds($0) })
  }

  private static func reachableAddresses(
    of domain: String, using resolver: ResolverState
  ) throws(ResolverState.Failure) -> [ResolverState.Record] {
    for (type, byteCount) in [(ResolverState.RecordType.a, 4), (.aaaa, 16)] {
      let addresses = try resolver.records(type, of: domain).filter { record in
        record.data.count == byteCount
          && IPAddress(bytes: record.data)?.isGloballyReachable == true
      }
      if !addresses.isEmpty { return addresses }
    }
    return []
  }

  /// Returns whether an MX record is a null MX: preference 0 and the root domain (RFC 7505 §3).
  private static func isNull(_ record: ResolverState.Record) -> Bool { record.data == [0, 0, 0] }

  /// Returns whether a TXT record is exactly the SPF policy `v=spf1 -all`, which declares that no
  /// server sends mail for the domain (RFC 7208).
  private static func disownsAll(_ record: ResolverState.Record) -> Bool {
    var text: [UInt8] = []
    var rest = record.data[...]
    // A sequence of strings, each preceded by its length (RFC 1035 §3.3.14).
    while let count = rest.popFirst() {
      text += rest.prefix(Int(count))
      rest = rest.dropFirst(Int(count))
    }
    return text == Array("v=spf1 -all".utf8)
  }
}
