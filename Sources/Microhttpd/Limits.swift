package import HTTPSignals

/// The limits of connections: their number, and how long a client may take.
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

  /// The maximum number of TLS handshakes in progress, per loop; then the oldest is given up.
  ///
  /// Each turn of a loop takes about a microsecond longer for each of them.
  static let maximumHandshakes = 128
  /// The maximum number of TLS handshakes in progress that a loop keeps for one client.
  static let maximumHandshakesPerClient = 32
}

/// The limits of a request: the size of its head and of its content.
package struct RequestLimits: Sendable {
  /// The maximum size of a request's content, in bytes.
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

/// The limits of event streams: their number, and how long they stay open.
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

  /// The interval at which the deadlines of streams are checked.
  var deadlineCheckInterval: Duration {
    min(max(min(heartbeat, stall) / 8, .milliseconds(5)), .milliseconds(50))
  }
}
