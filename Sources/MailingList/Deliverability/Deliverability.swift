package import Signals

/// Whether a domain accepts mail, according to the DNS (RFC 5321 §5.1).
///
/// The finding does not concern a mailbox. Only ``undeliverable(_:)`` is a reason to reject an
/// address; a failed lookup never is.
package enum Deliverability: Hashable, Sendable {
  /// The reason why a domain does not accept mail.
  package enum Reason: String, Hashable, Sendable, CaseIterable {
    /// The domain publishes a null MX record (RFC 7505).
    case nullMX
    /// The domain does not exist.
    case noDomain
    /// The domain has no MX record and no globally reachable address (RFC 5321 §5.1).
    case noAddress
    /// The domain has no MX record, and its SPF record declares that it sends no mail, `v=spf1
    /// -all` (RFC 7208).
    case noMail
  }

  /// The reason why a lookup is inconclusive; never a reason to reject an address.
  package enum Doubt: String, Hashable, Sendable, CaseIterable {
    /// No answer arrived within the time limit.
    case timeout
    /// The servers failed.
    case serverFailure
    /// Too many lookups are in progress.
    case busy
  }

  /// A server accepts mail for the domain, or may: the DNS has an MX record or an address for it.
  case deliverable
  /// The domain does not accept mail.
  case undeliverable(Reason)
  /// The lookup was inconclusive.
  case unknown(Doubt)
}

/// The result of a lookup, and the time for which it stays valid.
package struct DeliverabilityFinding: Hashable, Sendable {
  package let deliverability: Deliverability
  /// The time for which the records may be cached (RFC 1035 §3.2.1); `nil` if there were no
  /// records.
  package let timeToLive: Duration?

  package init(_ deliverability: Deliverability, timeToLive: Duration? = nil) {
    self.deliverability = deliverability
    self.timeToLive = timeToLive
  }
}

/// A source of DNS lookups.
///
/// ``DeliverabilityCheck`` limits the time of a lookup and caches its finding.
package protocol DeliverabilityLookup: Sendable {
  /// Looks up a domain; callable from any thread, and does not block.
  ///
  /// The signal is cold: it looks up the domain for each subscription, sends one finding, from any
  /// thread, and completes. A failed lookup is a finding, not a failure of the signal.
  func lookUp(_ domain: String) -> Signal<DeliverabilityFinding, Never>
}
