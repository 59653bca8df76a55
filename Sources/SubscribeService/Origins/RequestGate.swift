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
  private let everyHost: [String]
  private let logger: Logger
  private let hasWarned = Atomic(false)

  /// Creates a gate whose logger reports an untrusted proxy once.
  init(publicOrigin: WebOrigin?, everyHost: [String], logger: Logger) {
    self.publicOrigin = publicOrigin
    usualHost = publicOrigin?.authority
    self.everyHost = everyHost
    self.logger = logger
  }

  /// Checks whether a request is for this service, and whether to route it.
  ///
  /// If not, the gate has already responded.
  func admits(_ exchange: Exchange) -> Bool {
    let request = exchange.request
    if request.source.peer == .untrustedProxy { warn() }
    guard let publicOrigin else { return true }
    let isForService = request.requestedHost == usualHost || request.isFor(publicOrigin)
    guard isForService || everyHost.contains(request.path) else {
      exchange.respond(.misdirectedRequest)
      return false
    }
    return true
  }

  /// Warns once about an untrusted proxy.
  ///
  /// The address is not logged, because it may be a client's, and the operator knows the proxy.
  private func warn() {
    guard !hasWarned.load(ordering: .relaxed),
      !hasWarned.exchange(true, ordering: .relaxed)
    else { return }
    logger.warning(
      """
      a proxy in a local network sends Forwarded or X-Forwarded-For but is not trusted, so its \
      clients cannot be distinguished and are not limited; add its address to --trusted-proxies
      """
    )
  }
}
