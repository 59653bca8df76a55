internal import HTTPSignals

/// The part of a client's address that is stored with a consent.
package enum ConsentAddress: String, Hashable, Sendable, CaseIterable {
  /// The network, a /24 for IPv4 and a /48 for IPv6, which locates a client without identifying a
  /// person.
  case truncated
  /// No part.
  case off
  /// The whole address.
  case full

  /// Returns the text to store; `nil` if no part is stored, or the client has no address.
  func text(of client: ClientAddress) -> String? {
    switch self {
    case .truncated: client.network.text
    case .off: nil
    case .full: client.text
    }
  }
}
