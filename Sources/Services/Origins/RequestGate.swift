internal import HTTPSignals
internal import HTTPTypes
internal import Logging
internal import Synchronization

/// The check of every request before it is routed.
final class RequestGate: Sendable {
  private let publicOrigin: WebOrigin?
  /// The `Host` of nearly all requests, which is compared first: parsing it took 2% of the event
  /// loop's time for a sign-up.
  private let usualHost: String?
  private let everyHost: PathSet
  private let logger: Logger
  private let hasReportedTrust = Atomic(false)
  private let hasReportedUnknown = Atomic(false)
  private let hasReportedHost = Atomic(false)
  private let hasReportedEncoding = Atomic(false)
  private let hasReportedClients: Atomic<Bool>

  /// Creates a gate whose logger reports each error in the configuration of a proxy once.
  init(publicOrigin: WebOrigin?, everyHost: PathSet, logger: Logger) {
    self.publicOrigin = publicOrigin
    usualHost = publicOrigin?.authority
    self.everyHost = everyHost
    self.logger = logger
    // A service that only its machine can reach is tried there, without a proxy.
    hasReportedClients = Atomic(publicOrigin?.isLoopback ?? true)
  }

  /// Checks whether a request is for this service, and whether to route it.
  ///
  /// If not, the gate has already responded.
  func admits(_ exchange: Exchange) -> Bool {
    let request = exchange.request
    if request.source.peer == .untrustedProxy { reportTrust() }
    if request.source.peer == .trusted, request.source.client == .unknown { reportUnknown() }
    guard let publicOrigin, !everyHost.contains(request.path) else { return true }
    guard request.requestedHost == usualHost || request.isFor(publicOrigin) else {
      reportHost(of: request, publicOrigin)
      exchange.respond(.misdirectedRequest)
      return false
    }
    reportClients(of: request, publicOrigin)
    return true
  }

  /// Warns once about an untrusted proxy.
  ///
  /// The address is not logged, because it may be a client's, and the operator knows the proxy.
  private func reportTrust() {
    guard Self.isFirst(hasReportedTrust) else { return }
    logger.warning(
      """
      a proxy in a local network sends Forwarded or X-Forwarded-For but is not trusted, so its \
      clients cannot be distinguished and are not limited; add its address to --trusted-proxies
      """
    )
  }

  /// Warns once about a proxy that does not say legibly who the client is.
  private func reportUnknown() {
    guard Self.isFirst(hasReportedUnknown) else { return }
    logger.warning(
      """
      Forwarded or X-Forwarded-For of a trusted proxy names no address, or they contradict each \
      other: such clients share one limit; let the proxy set one of them, and remove the other
      """
    )
  }

  /// Warns once about a proxy that names no clients.
  private func reportClients(of request: Request, _ publicOrigin: WebOrigin) {
    guard request.source.peer == .trusted, !hasReportedClients.load(ordering: .relaxed),
      !request.isClientNamed, Self.isFirst(hasReportedClients)
    else { return }
    let effect = request.source.limitedClient == nil ? "are not limited" : "share one limit"
    logger.warning(
      """
      requests for \(publicOrigin.authority) come from a trusted proxy without X-Forwarded-For or \
      Forwarded: clients \(effect)
      """
    )
  }

  /// Warns once about a proxy that replaces the host.
  ///
  /// Through a proxy, strangers request any host: only one that the internet does not have, and the
  /// public one with another port, are those of a proxy.
  private func reportHost(of request: Request, _ publicOrigin: WebOrigin) {
    guard !hasReportedHost.load(ordering: .relaxed), !publicOrigin.isLoopback,
      request.mayBeChanged(from: publicOrigin),
      let requested = request.requestedOrigin(publicOrigin.scheme),
      requested.isLocal || requested.host == publicOrigin.host, Self.isFirst(hasReportedHost)
    else { return }
    logger.warning(
      """
      a request for \(requested.authority) gets 421, --public-url is \(publicOrigin.authority): let \
      the proxy pass Host
      """
    )
  }

  /// Warns once about a form that is not sent in UTF-8.
  func reportEncoding() {
    guard Self.isFirst(hasReportedEncoding) else { return }
    logger.warning(
      """
      a form is rejected because its text is not UTF-8: a page in another encoding needs \
      accept-charset="utf-8" in its form
      """
    )
  }

  /// Sets a flag; returns whether it was not set before.
  private static func isFirst(_ flag: borrowing Atomic<Bool>) -> Bool {
    !flag.load(ordering: .relaxed) && !flag.exchange(true, ordering: .relaxed)
  }
}
