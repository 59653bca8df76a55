internal import GnuTLS
internal import HTTPSignals
internal import Logging

struct SharedResources: Sendable {
  let loopCount: Int
  /// The certificate with which libmicrohttpd starts; `nil` without TLS.
  let identity: TLSIdentity?
  /// The acceptor that sets up TLS on new connections; `nil` without TLS.
  let tlsAcceptor: TLSAcceptor?
  /// The limits over all loops.
  let connections: ConnectionLimits
  let requests: RequestLimits
  /// The limits over all loops.
  let streams: StreamLimits
  /// The transport of streams whose connection allows it.
  let streamTransport: StreamTransport
  /// The transport that writes streams to sockets that were taken over.
  let directTransport: DirectTransport
  let admission: StreamAdmission
  let clients: ConnectionCounts
  let bodyBudget: BodyBudget
  let trustedProxies: TrustedProxies
  let responsePolicy: any ResponsePolicy
  let rejections: RejectionLog
  let metrics: DaemonMetrics
  let logger: Logger
  /// The log of requests; `nil` if they are not logged.
  let requestLog: RequestLog?

  func makeStreamRegistry(on loop: EventLoop) -> StreamRegistry {
    let library = LibraryTransport(
      on: loop,
      limits: streams,
      admission: admission,
      metrics: metrics
    )
    let transports: [any EventStreamTransport] =
      switch streamTransport {
      case .direct: [directTransport, library]
      case .library: [library]
      }
    return StreamRegistry(transports, admission: admission, rejections: rejections)
  }
}
