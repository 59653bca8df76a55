internal import Glibc
package import HTTPSignals
package import Logging
package import Platform
package import Security

/// The options of a daemon: where it listens, and how it serves its clients.
package struct DaemonOptions: Sendable {
  package var endpoint = Endpoint.address(
    .network(HostAndPort(host: .v4(0x7F00_0001), port: 8080)))
  /// The certificate and its key; without them, the daemon speaks no TLS.
  package var identity: TLSIdentity?
  /// The number of event loops that share the socket; a smaller number than 1 counts as 1.
  package var loopCount = 1
  package var connections = ConnectionLimits()
  package var requests = RequestLimits()
  package var streams = StreamLimits()
  /// The reverse proxies that are trusted to name the client of a request.
  package var trustedProxies = TrustedProxies()
  /// The policy of all responses, also to requests that have a well-formed head and are rejected
  /// before they become exchanges.
  package var responsePolicy: any ResponsePolicy
  package var metrics = DaemonMetrics()
  /// The logger for libmicrohttpd's messages, for the counts of rejections, and for requests.
  package var logger: Logger
  /// Returns the route of a path as it may be logged; `nil` without such a route.
  ///
  /// With it, each request is logged at `debug`.
  package var route: (@Sendable (_ path: String) -> String?)?

  package init(logger: Logger, responsePolicy: any ResponsePolicy) {
    self.logger = logger
    self.responsePolicy = responsePolicy
  }
}

/// The address, or the socket, on which a daemon listens.
package enum Endpoint: Hashable, Sendable {
  /// An address of this machine: port 0 lets the kernel choose one, and `::` stands for all IPv4 and
  /// IPv6 addresses.
  ///
  /// A socket in the file system may be used by the owner and the group of the process. A stale one,
  /// left behind by a process that crashed, is replaced. The daemon removes its socket when it ends.
  case address(SocketAddress)
  /// A socket that is already listening; the daemon closes it.
  case inherited(descriptor: Int32)

  package var port: UInt16? {
    if case .address(.network(let address)) = self { address.port } else { nil }
  }
}

extension Endpoint: CustomStringConvertible {
  /// The address and the port as in a URL, `unix:` and the path, or the number of the descriptor.
  package var description: String {
    switch self {
    case .address(let address): address.description
    case .inherited(let descriptor): "descriptor \(descriptor)"
    }
  }
}

package struct ConnectionLimits: Sendable {
  /// The maximum number of open connections, over all loops.
  package var maximum = 20_000
  /// The maximum number of open connections per client, over all loops; further connections are
  /// rejected.
  package var maximumPerClient = 256
  /// The rate at which one client may open connections.
  ///
  /// Connections that exceed it are closed before libmicrohttpd sets them up.
  package var rate = RequestRate.limited(count: 100, per: .seconds(1))
  /// The networks whose clients may open any number of connections; trusted proxies may as well.
  package var unlimitedClients = ClientNetwork.loopback
  /// The time limit for receiving a complete request, its head within a third of it.
  ///
  /// The same limit applies to reading the response, and to the silence of a connection.
  package var requestTimeout: Duration = .seconds(30)

  package init() {}

  /// The maximum number of TLS handshakes in progress, per loop; then the oldest is shed.
  ///
  /// Each turn of a loop takes about a microsecond longer for each of them.
  static let maximumHandshakes = 128
  /// The maximum number of TLS handshakes in progress that a loop keeps for one client.
  static let maximumHandshakesPerClient = 32
}

package struct RequestLimits: Sendable {
  package var maximumBodyBytes = 16 * 1024
  /// The maximum memory for bodies that arrive in more than one part, in bytes, over all loops.
  package var maximumBodyMemoryBytes = 64 << 20
  /// The maximum memory for the head of a request, in bytes; at most half of it for the target.
  ///
  /// A head uses its own bytes, and 64 more for each header field or query pair. libmicrohttpd
  /// rejects much longer heads itself, with 414 or 431 and its own error page.
  package var maximumHeadBytes = 8 * 1024

  package init() {}

  /// The maximum number of header fields and query pairs of a request.
  ///
  /// libmicrohttpd uses 64 bytes for each, in addition to the bytes it has read.
  static let maximumPairCount = 64
  /// The memory of a connection in bytes: 16 KiB for heads of 8 KiB.
  ///
  /// libmicrohttpd reads into one half. The other half holds its records of the fields and the head
  /// of the response. libmicrohttpd overwrites all of the memory with zeros between two requests:
  /// with 24 KiB, a sign-up took 5 to 7% more CPU time on 64 connections, whose memory no longer
  /// fit the cache of a core.
  var connectionMemoryBytes: Int { 2 * maximumHeadBytes }
}

package struct StreamLimits: Sendable {
  /// The maximum number of open event streams, over all loops.
  package var maximum = 10_000
  /// The maximum number of open event streams per client.
  ///
  /// A client is an IPv4 address or an IPv6 /64. Loopback clients are exempt.
  package var maximumPerClient = 20
  /// The silence after which an event stream sends a heartbeat.
  package var heartbeat: Duration = .seconds(15)
  /// The lifetime of an event stream, chosen at random from this range for each stream.
  ///
  /// After that its client reconnects and resumes.
  package var lifetime: ClosedRange<Duration> = .seconds(480) ... .seconds(600)
  /// The time for which the client of an event stream may stop reading before its connection is
  /// reset.
  package var stall: Duration = .seconds(10)

  package init() {}

  var deadlineCheckInterval: Duration {
    min(max(min(heartbeat, stall) / 8, .milliseconds(5)), .milliseconds(50))
  }
}

/// An error that keeps a daemon from starting.
package enum DaemonError: Error, Hashable, Sendable {
  /// The address could not be bound: it is in use, not an address of this machine, or not
  /// permitted.
  case cannotListen(address: String, errorNumber: Int32)
  /// A system call failed: the kernel had no file descriptor or no thread left, for example.
  case system(function: String, errorNumber: Int32)
  /// libmicrohttpd rejected its options and logged the reason.
  case libraryNotStarted
  /// GnuTLS had no memory or no random numbers for the keys.
  case tlsNotStarted
}

extension DaemonError: CustomStringConvertible {
  /// One sentence for the operator; `strerror` supplies the reason.
  package var description: String {
    switch self {
    case .cannotListen(let address, let number):
      "Cannot listen on \(address): \(String(cString: strerror(number)))."
    case .system(let function, let number):
      "\(function) failed: \(String(cString: strerror(number)))."
    case .libraryNotStarted:
      "libmicrohttpd did not start; see the log for its message."
    case .tlsNotStarted:
      "TLS did not start: GnuTLS had no memory or no random numbers."
    }
  }
}
