extension WebOrigin {
  /// The host as an address; `nil` for a name.
  private var address: ClientAddress? {
    ClientAddress(host.hasPrefix("[") ? host.dropFirst().dropLast() : host[...])
  }

  /// Whether the host is this machine by its name or address (RFC 6761 §6.3).
  package var isLoopback: Bool {
    address?.isLoopback ?? (host == "localhost" || host.hasSuffix(".localhost"))
  }
}
