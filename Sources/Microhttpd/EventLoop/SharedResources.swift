internal import Security
internal import Logging

/// The resources that the event loops of a daemon share.
struct SharedResources: Sendable {
  let options: DaemonOptions
  /// The acceptor that sets up TLS on new connections; `nil` without TLS.
  let tlsAcceptor: TLSAcceptor?
  /// The transport of streams whose connection allows it.
  let streamTransport: StreamTransport
  /// The transport that writes streams to sockets that were taken over.
  let directTransport: DirectTransport
  let admission: StreamAdmission
  let clients: ConnectionCounts
  let bodyBudget: BodyBudget
  let rejections: RejectionLog
  /// The log of requests; `nil` if they are not logged.
  let requestLog: RequestLog?

  init(_ options: DaemonOptions) throws(DaemonError) {
    self.options = options
    let acceptor = options.identity.map { TLSAcceptor($0) }
    if case .some(.none) = acceptor { throw .libraryNotStarted }
    tlsAcceptor = acceptor.flatMap(\.self)
    streamTransport = Self.streamTransport(options)
    admission = StreamAdmission(options.streams)
    directTransport = try DirectTransport(admission: admission, options)
    clients = ConnectionCounts(
      options.connections, except: options.trustedProxies, streams: admission)
    bodyBudget = BodyBudget(maximumBytes: options.requests.maximumBodyMemoryBytes)
    rejections = RejectionLog(logger: options.logger, metrics: options.metrics)
    requestLog = RequestLog(options)
  }

  var loopCount: Int { max(1, options.loopCount) }

  /// Returns the transport in the options, or the one that the installed libraries support.
  private static func streamTransport(_ options: DaemonOptions) -> StreamTransport {
    switch options.streamTransport {
    case .direct where TakeoverProbe.passes(options.identity): return .direct
    case .direct:
      options.logger.notice(
        """
        cannot take over sockets from libmicrohttpd: event streams use more memory, and at most \
        \(options.streams.maximumThroughLibrary) can be open
        """
      )
      return .library
    case .library: return .library
    }
  }

  func makeStreamRegistry(on loop: EventLoop) -> StreamRegistry {
    let library = LibraryTransport(on: loop, admission: admission, options)
    let transports: [any EventStreamTransport] =
      switch streamTransport {
      case .direct: [directTransport, library]
      case .library: [library]
      }
    return StreamRegistry(transports, admission: admission, rejections: rejections)
  }
}
