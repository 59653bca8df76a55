internal import HTTPSignals
internal import Logging
internal import Synchronization

/// What is decided about every request before it is routed.
final class RequestGate: Sendable {
  private let publicOrigin: WebOrigin?
  private let logger: Logger
  private let hasWarned = Atomic(false)

  /// Makes a gate.
  ///
  /// - Parameters:
  ///   - publicOrigin: Where the service is reached from outside, if that is known.
  ///   - logger: Where a proxy that is not trusted is reported, once.
  init(publicOrigin: WebOrigin?, logger: Logger) {
    self.publicOrigin = publicOrigin
    self.logger = logger
  }

  /// Decides whether a request is for this service.
  ///
  /// - Parameter exchange: The request.
  /// - Returns: Whether it is to be routed; otherwise the exchange has its response.
  func admits(_ exchange: Exchange) -> Bool {
    let request = exchange.request
    if request.source.peer == .untrustedProxy { warn() }
    guard let publicOrigin else { return true }
    guard request.isFor(publicOrigin) || Self.isProbe(request.path) else {
      exchange.respond(.misdirectedRequest)
      return false
    }
    return true
  }

  /// Whether a request comes from those who watch over the process, by whatever address.
  private static func isProbe(_ path: String) -> Bool { path == "/livez" || path == "/readyz" }

  /// The address is not logged: it may be a client's, and the operator knows the proxy.
  private func warn() {
    guard !hasWarned.load(ordering: .relaxed),
      !hasWarned.exchange(true, ordering: .relaxed)
    else { return }
    logger.warning(
      """
      a proxy in a local network sends Forwarded or X-Forwarded-For but is not trusted, so its \
      clients cannot be told apart and are not limited; add its address to --trusted-proxies
      """
    )
  }
}

extension Request {
  /// Whether the host that was asked for is that of an origin.
  ///
  /// It is what a trusted proxy says it was asked for, otherwise `Host`. A page of another site whose name leads here (DNS rebinding) has another
  /// one.
  func isFor(_ origin: WebOrigin) -> Bool {
    guard let host = requestedHost,
      let requested = WebOrigin.hostAndPort(host, origin.scheme)
    else { return false }
    return requested.host == origin.host && requested.port == origin.port
  }

  /// The host that the client asked for, as it was sent.
  var requestedHost: String? { source.forwardedHost ?? fields.first("host") }
}
