internal import Security
internal import Logging

/// The resources that the event loops of a daemon share.
struct SharedResources: Sendable {
  let options: DaemonOptions
  /// The acceptor that sets up TLS on new connections; `nil` without TLS.
  let tlsAcceptor: TLSAcceptor?
  let streams: StreamLoop
  let admission: StreamAdmission
  let clients: ConnectionCounts
  let bodyBudget: BodyBudget
  let rejections: RejectionLog
  /// The log of requests; `nil` if they are not logged.
  let requestLog: RequestLog?

  init(_ options: DaemonOptions) throws(DaemonError) {
    self.options = options
    let acceptor = options.identity.map { TLSAcceptor($0) }
    if case .some(.none) = acceptor { throw .tlsNotStarted }
    tlsAcceptor = acceptor.flatMap(\.self)
    admission = StreamAdmission(options.streams)
    streams = try StreamLoop(options, admission)
    clients = ConnectionCounts(
      options.connections, except: options.trustedProxies, streams: admission)
    bodyBudget = BodyBudget(maximumBytes: options.requests.maximumBodyMemoryBytes)
    rejections = RejectionLog(logger: options.logger, metrics: options.metrics)
    requestLog = RequestLog(options)
  }

  var loopCount: Int { max(1, options.loopCount) }
}
