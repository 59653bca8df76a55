internal import HTTPTypes

extension Request {
  /// Returns whether the requested host is that of an origin.
  ///
  /// With DNS rebinding, the name of another site resolves to this service, and a request from its
  /// page has a different host.
  package func isFor(_ origin: WebOrigin) -> Bool {
    guard let host = requestedHost,
      let requested = WebOrigin.hostAndPort(host, origin.scheme)
    else { return false }
    return requested.host == origin.host && requested.port == origin.port
  }

  /// Whether a field in which proxies name the client has a value.
  package var isClientNamed: Bool {
    [.forwarded, .xForwardedFor].contains { name in
      fields.count(of: name) > 0 && !fields.first(name, is: "")
    }
  }

  /// The requested host, unchanged: the one that a trusted proxy forwards, otherwise `Host`.
  package var requestedHost: String? { source.forwardedHost ?? fields.first(.hostField) }
}
