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

  /// Returns whether a visitor may have requested the host of an origin although ``isFor(_:)`` is
  /// false: a proxy has written a host of its own, or another port.
  package func mayBeChanged(from origin: WebOrigin) -> Bool {
    // Nothing else stands between a client of the internet and the service.
    guard source.peer == .trusted || source.client.isInLocalRange else { return false }
    return source.forwardedHost == nil || requestedOrigin(origin.scheme)?.host == origin.host
  }

  /// The origin of the requested host; `nil` if the host is invalid.
  package func requestedOrigin(_ scheme: String) -> WebOrigin? {
    requestedHost.flatMap { WebOrigin("\(scheme)://\($0)") }
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
