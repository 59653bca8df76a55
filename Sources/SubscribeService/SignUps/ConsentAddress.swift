internal import HTTPSignals

/// The part of a client's address that is kept with a consent.
package enum ConsentAddress: String, Hashable, Sendable, CaseIterable {
  /// Its network, a /24 for IPv4 and a /48 for IPv6, which locates a client without identifying a
  /// person.
  case truncated
  /// Nothing.
  case off
  /// The whole address.
  case full

  /// Returns the text to keep.
  ///
  /// - Returns: The text; `nil` if nothing is kept, or the client has no address.
  func text(of client: ClientAddress) -> String? {
    switch self {
    case .truncated: client.network.text
    case .off: nil
    case .full: client.text
    }
  }
}
