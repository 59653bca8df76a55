package import Signals

/// Whether a domain takes mail, as far as the DNS tells.
package enum Deliverability: Hashable, Sendable {
  /// Why a domain takes no mail.
  package enum Reason: String, Hashable, Sendable, CaseIterable {
    /// It says so (RFC 7505).
    case nullMX
    /// It is not there.
    case noDomain
    /// It names no mail server, and has no address that the world can reach (RFC 5321 §5.1).
    case noAddress
    /// It names no mail server, and says that none of its mail is real (`v=spf1 -all`).
    case noMail
  }

  /// Why nothing is known; never a reason to reject.
  package enum Doubt: String, Hashable, Sendable, CaseIterable {
    /// No answer within the time that there is.
    case timeout
    /// The servers failed.
    case serverFailure
    /// Too many domains are being looked up.
    case busy
  }

  /// A server takes its mail, or may.
  case deliverable
  /// It takes none.
  case undeliverable(Reason)
  /// Nothing is known.
  case unknown(Doubt)
}

/// What a lookup found, and for how long it holds.
package struct DeliverabilityFinding: Hashable, Sendable {
  /// What was found.
  package let deliverability: Deliverability
  /// How long the records may be kept (RFC 1035 §3.2.1); `nil` where there were none.
  package let timeToLive: Duration?

  /// Makes a finding.
  ///
  /// - Parameters:
  ///   - deliverability: What was found.
  ///   - timeToLive: How long the records may be kept.
  package init(_ deliverability: Deliverability, timeToLive: Duration? = nil) {
    self.deliverability = deliverability
    self.timeToLive = timeToLive
  }
}

/// What knows the DNS.
package protocol DeliverabilityLookup: Sendable {
  /// Looks a domain up.
  ///
  /// - Parameter domain: In ASCII, as an address has it.
  /// - Returns: Sends one finding, from any thread, and completes; cold.
  func lookUp(_ domain: String) -> Signal<DeliverabilityFinding, Never>
}
