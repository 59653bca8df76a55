package import HTTPSignals
package import Logging

extension Daemon {
  /// What a daemon is started with.
  package struct Configuration: Sendable {
    /// Where to listen.
    package var endpoint = Endpoint.network(host: "127.0.0.1", port: 8080)
    /// With what the daemon proves who it is; without it, it speaks no TLS.
    package var identity: TLSIdentity?
    /// How many event loops share the socket, 1 or more.
    package var loopCount = 1
    /// How many connections are open at the most, over all loops.
    package var maximumConnections = 20_000
    /// How many connections of one client are open at the most, over all loops; newcomers beyond are
    /// turned away.
    package var maximumConnectionsPerClient = 256
    /// How many exchanges of one connection are in flight at most.
    ///
    /// An exchange is in flight until the service releases it, which may be after its response. At the
    /// limit nothing more is read from the connection.
    package var maximumExchangesPerConnection = 64
    /// How many connections one client may open in a time.
    ///
    /// Those beyond are closed before anything is spent on them; `nil` is no limit.
    package var connectionRate: ConnectionRate? = ConnectionRate(count: 100, per: .seconds(1))
    /// Who may have as many connections as it likes, beside the trusted proxies.
    package var unlimitedClients = CIDRBlock.loopback
    /// How long a request may take from its first byte to its last, its head within a third of it,
    /// how long its client may take to read the answer, and how long a connection may be silent; at
    /// least a second counts for the latter.
    package var requestTimeout: Duration = .seconds(30)
    /// How long the content of a request may be.
    package var maximumBodyBytes = 16 * 1024
    /// How much memory the bodies may take that are arriving in more than one part, over all loops.
    package var maximumBodyMemoryBytes = 64 << 20
    /// How much memory the head of a request may take: its bytes, and 64 for each field or pair of
    /// the query; its target at most half.
    ///
    /// libmicrohttpd rejects a much longer one itself, with 414 or 431 and a page of its own.
    package var maximumHeadBytes = 8 * 1024
    /// How many header fields and pairs of the query a request may have.
    ///
    /// libmicrohttpd takes 64 bytes for each, next to what it has read.
    static let maximumPairCount = 64
    /// The memory of a connection, 16 KiB for heads of 8 KiB: libmicrohttpd reads into half of it, and
    /// the other half holds its records of the fields, and the head of the response.
    ///
    /// All of it is written with zeros between two requests: with 24 KiB a sign-up took 5 to 7 % more
    /// CPU time on 64 connections, which no longer fit the cache of a core.
    var connectionMemoryBytes: Int { 2 * maximumHeadBytes }
    /// The proxies in front, whose word on who the client is counts.
    package var trustedProxies = TrustedProxies()
    /// How many event streams are open at the most, over all loops.
    package var maximumStreams = 10_000
    /// How many event streams libmicrohttpd writes at the most, over all loops: those with TLS 1.2,
    /// and all where its sockets cannot be taken over.
    ///
    /// Each event wakes all of them on the loops that also serve requests, and a client chooses its
    /// version of TLS: with 1,000 of them a sign-up took eight times as long.
    package var maximumLibraryStreams = 256
    /// How many event streams one client has open at the most.
    ///
    /// A client is an IPv4 address or an IPv6 /64; one on this machine is not limited.
    package var maximumStreamsPerClient = 20
    /// How long an event stream may be silent before a heartbeat is sent.
    package var heartbeat: Duration = .seconds(15)
    /// How long an event stream lasts, drawn at random for each; its client comes back and resumes.
    package var streamLifetime: ClosedRange<Duration> = .seconds(480) ... .seconds(600)
    /// How long the client of an event stream may take nothing before it is cut.
    package var streamStall: Duration = .seconds(10)
    /// How event streams are written.
    package var streamTransport = StreamTransport.direct
    /// What is the same in all answers, also those to requests whose head is well-formed and which
    /// are rejected all the same before they become exchanges.
    package var responsePolicy: any ResponsePolicy = DefaultResponsePolicy.shared
    /// Where libmicrohttpd's own messages go, and the counts of what was rejected.
    package var logger: Logger {
      didSet { rejections = RejectionLog(logger: logger) }
    }
    /// Counts what was rejected, over all loops.
    private(set) var rejections: RejectionLog

    /// Makes the default configuration.
    ///
    /// - Parameter logger: Where libmicrohttpd's own messages go, and the counts of what was
    ///   rejected.
    package init(logger: Logger) {
      self.logger = logger
      rejections = RejectionLog(logger: logger)
    }
  }

  /// How event streams are written.
  package enum StreamTransport: Sendable, CaseIterable {
    /// Straight to the socket, which is taken over from libmicrohttpd; where that is not possible,
    /// and with TLS 1.2, as below.
    case direct
    /// Through libmicrohttpd.
    case library
  }
}
