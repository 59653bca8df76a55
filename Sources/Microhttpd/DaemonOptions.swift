package import Security
package import HTTPSignals
package import Logging

/// The options of a daemon: where it listens, and how it serves its clients.
///
/// ```swift
/// var options = DaemonOptions(logger: logger)
/// options.endpoint = .network(host: "::", port: 8080)
/// options.streams.maximum = 50_000
/// let daemon = try Daemon(options)
/// ```
package struct DaemonOptions: Sendable {
  /// The endpoint on which the daemon listens.
  package var endpoint = Endpoint.network(host: "127.0.0.1", port: 8080)
  /// The certificate and its key; without them, the daemon speaks no TLS.
  package var identity: TLSIdentity?
  /// The number of event loops that share the socket; a smaller number than 1 counts as 1.
  package var loopCount = 1
  package var connections = ConnectionLimits()
  package var requests = RequestLimits()
  package var streams = StreamLimits()
  /// The reverse proxies that are trusted to name the client of a request.
  package var trustedProxies = TrustedProxies()
  /// The policy that completes all responses.
  ///
  /// It also applies to requests that have a well-formed head and are rejected before they become
  /// exchanges.
  package var responsePolicy: any ResponsePolicy = DefaultResponsePolicy.shared
  /// The counters for the operator.
  package var metrics = DaemonMetrics()
  /// The logger for libmicrohttpd's messages, for the counts of rejections, and for requests.
  package var logger: Logger
  /// Returns the route of a path as it may be logged; `nil` without such a route.
  ///
  /// With it, each request is logged at `debug`.
  package var route: (@Sendable (_ path: String) -> String?)?

  package init(logger: Logger) {
    self.logger = logger
  }
}
