extension WebOrigin {
  /// The host as an address; `nil` for a name.
  private var address: ClientAddress? {
    ClientAddress(host.hasPrefix("[") ? host.dropFirst().dropLast() : host[...])
  }

  /// Whether the host is this machine by its name or address (RFC 6761 §6.3).
  package var isLoopback: Bool {
    address?.isLoopback ?? (host == "localhost" || host.hasSuffix(".localhost"))
  }

  /// Whether the internet has no such host: the host is an address of a local range, a name without
  /// a dot, or a name that is reserved for local networks (RFC 6762, and `internal`).
  package var isLocal: Bool {
    if let address { return address.isInLocalRange }
    return !host.contains(".")
      || [".local", ".internal", ".localhost"].contains { host.hasSuffix($0) }
  }
}
