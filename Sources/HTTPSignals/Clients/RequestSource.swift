/// Who sent a request, and how the service came to know.
package struct RequestSource: Hashable, Sendable {
  /// What is at the other end of the connection.
  package enum Peer: Hashable, Sendable {
    /// The client itself, as far as anyone can tell; its forwarding fields count for nothing.
    case client
    /// A trusted proxy, or a program that may be one; its forwarding fields count.
    case trusted
    /// A program in a local range that sends forwarding fields but is not trusted: most likely a
    /// proxy that the operator forgot to name, so many clients share its address.
    case untrustedProxy
  }

  /// The client.
  package let client: ClientAddress
  /// What is at the other end of the connection.
  package let peer: Peer
  /// The host that the client asked a trusted proxy for; `nil` when no trusted proxy says so, and
  /// empty when it contradicts itself.
  package let forwardedHost: String?

  /// Makes a source.
  ///
  /// - Parameters:
  ///   - client: The client.
  ///   - peer: What is at the other end of the connection.
  ///   - forwardedHost: The host that the client asked a trusted proxy for.
  package init(client: ClientAddress, peer: Peer = .client, forwardedHost: String? = nil) {
    self.client = client
    self.peer = peer
    self.forwardedHost = forwardedHost
  }

  /// The client that limits count; `nil` when none applies: to this machine, and behind a proxy that
  /// is not trusted, where one limit would hold for all of its clients together.
  package var limitedClient: ClientAddress? {
    peer == .untrustedProxy || client.isLoopback ? nil : client
  }
}
