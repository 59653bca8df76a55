internal import GnuTLS
internal import HTTPSignals
internal import Logging

/// The limits and the objects that all event loops of a daemon share.
struct SharedResources: Sendable {
  /// The number of loops.
  let loopCount: Int
  /// The certificate with which libmicrohttpd starts; `nil` without TLS.
  let identity: TLSIdentity?
  /// The acceptor that sets up TLS on new connections; `nil` without TLS.
  let tlsAcceptor: TLSAcceptor?
  /// The limits of connections, over all loops.
  let connections: ConnectionLimits
  /// The limits of requests.
  let requests: RequestLimits
  /// The limits of streams, over all loops.
  let streams: StreamLimits
  /// The transport of streams whose connection allows it.
  let streamTransport: StreamTransport
  /// The transport that writes streams to sockets that were taken over.
  let directTransport: DirectTransport
  /// The numbers of open streams.
  let admission: StreamAdmission
  /// The numbers of connections of each client.
  let clients: ConnectionCounts
  /// The memory for bodies that arrive in more than one part.
  let bodyBudget: BodyBudget
  /// The reverse proxies that are trusted to name the client of a request.
  let trustedProxies: TrustedProxies
  /// The policy that completes all responses.
  let responsePolicy: any ResponsePolicy
  /// The counts of rejections.
  let rejections: RejectionLog
  /// The counts for the operator.
  let metrics: DaemonMetrics
  /// The logger for libmicrohttpd's messages.
  let logger: Logger
  /// The log of requests; `nil` if they are not logged.
  let requestLog: RequestLog?

  /// Makes the registry of the streams of one loop.
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
