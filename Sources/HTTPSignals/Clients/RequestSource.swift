/// The client that sent a request, and how the service identified it.
package struct RequestSource: Hashable, Sendable {
  /// The kind of program at the other end of the connection.
  package enum Peer: Hashable, Sendable {
    /// The client itself, as far as the service can know; its forwarding fields are ignored.
    case client
    /// A trusted proxy, or a program at a trusted address; its forwarding fields are used.
    case trusted
    /// A program in a local range that sends forwarding fields but is not trusted.
    ///
    /// It is most likely a proxy that the operator forgot to list, so many clients share its
    /// address.
    case untrustedProxy
  }

  package let client: ClientAddress
  package let peer: Peer
  /// The host that the client requested from a trusted proxy.
  ///
  /// It is `nil` if no trusted proxy names a host, and empty if the proxy contradicts itself.
  package let forwardedHost: String?

  package init(client: ClientAddress, peer: Peer = .client, forwardedHost: String? = nil) {
    self.client = client
    self.peer = peer
    self.forwardedHost = forwardedHost
  }

  /// The client to which limits apply; `nil` if no limits apply.
  ///
  /// Limits do not apply to this machine, nor behind an untrusted proxy, where all clients of the
  /// proxy would share one limit.
  package var limitedClient: ClientAddress? {
    peer == .untrustedProxy || client.isLoopback ? nil : client
  }
}
