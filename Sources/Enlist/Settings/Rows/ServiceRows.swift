internal import Delivery
internal import EmailAddresses
internal import FoundationEssentials
internal import HTTPSignals
internal import Logging
internal import MailingList
internal import Platform
internal import SubscribeService

/// The settings of the service: where it listens and stores, whom it answers, its limits and log.
struct ServiceRows: Sendable {
  let listen = Setting<ListenAddress>(
    name: "listen",
    defaultValue: .network(.standard),
    defaultText: HostAndPort.standard.description,
    meaning: """
      Address and port; `[::]:8080` is all IPv4 and IPv6 addresses, and port 0 picks a free \
      one. `unix:PATH` creates a socket for its owner and group; `systemd` uses the socket \
      that systemd passes
      """,
    expected: "an address and a port, 127.0.0.1:8080 or [::]:8080; unix:PATH; or systemd",
    convert: { ListenAddress($0) }
  )
  let tlsCertificate = Setting.file(
    name: "tls-certificate",
    meaning: """
      PEM file with the certificate chain; the service then serves only HTTPS, with TLS 1.2 \
      and 1.3
      """
  )
  let tlsKey = Setting.file(
    name: "tls-key",
    meaning: """
      PEM file with the private key. With ECDSA, handshakes are several times cheaper than \
      with RSA
      """)
  let database = Setting<DatabaseLocation>(
    name: "database",
    defaultValue: .sqlite(path: "enlist.sqlite"),
    defaultText: "sqlite:enlist.sqlite",
    meaning: """
      `sqlite:PATH`, or `postgres://USER@HOST[,HOST]/DATABASE` for \
      [PostgreSQL](postgresql.md)
      """,
    expected:
      "sqlite:PATH, or postgres://USER@HOST[,HOST]/DATABASE with ports and parameters of libpq",
    convert: { DatabaseLocation($0) }
  )
  let databaseTimeout = Setting(
    name: "database-timeout",
    defaultValue: .seconds(5),
    meaning: """
      How long a sign-up waits for another process to release its lock, or for the database \
      server, however many are waiting
      """,
    within: .zero ... .seconds(60)
  )
  let statusStream = Setting<StatusStream>(
    name: "status-stream", defaultValue: .public,
    meaning: "Access to `GET /status`, the stream of all sign-ups: `public` or `off`")
  let commandScope = Setting<SubscribeCommands.Scope>(
    name: "command-scope", defaultValue: .address,
    meaning: """
      Scope of the rule that one sign-up runs at a time: `address`, or `service` for all \
      addresses together
      """)
  let publicURL = Setting<WebOrigin?>(
    name: "public-url",
    meaning: """
      The public origin of the service, always allowed to post. A request for another host \
      gets 421, except for `/livez` and `/readyz`
      """,
    expected: "none, or a scheme, a host and an optional port: https://list.example.org",
    convert: { WebOrigin(withEmptyPath: $0) }
  )
  let allowedOrigins = Setting<AllowedOrigins>(
    name: "allowed-origins",
    defaultValue: .none,
    defaultText: "none",
    meaning: """
      Origins that may call the service from a browser, and to which a form may redirect: \
      `https://example.com,https://*.example.org`
      """,
    expected:
      "none, or origins without a path, separated by commas: https://example.com,https://*.example.org",
    convert: { AllowedOrigins($0) }
  )
  let emailLevel = Setting<EmailLevel>(
    name: "email-level",
    defaultValue: .form,
    meaning: """
      How strictly addresses are validated: `form`, or `test`, which also accepts `.test`, \
      `.example`, `.localhost` and the like
      """
  )
  let checkDeliverability = Setting<Switch>(
    name: "check-deliverability",
    defaultValue: .off,
    meaning: """
      `on` asks the DNS whether a domain accepts mail; only a definitive no rejects, with \
      the code `undeliverable`
      """
  )
  let dnsServer = Setting<DNSServer?>(
    name: "dns-server", unset: "system",
    meaning: "DNS server to ask: an IPv4 address and a port, or `system`",
    expected: "system, or an address and a port such as 127.0.0.1:53", convert: { DNSServer($0) })
  let threads = Setting(
    name: "threads",
    // The store's writer also needs a core: on two cores, a second event loop makes each sign-up
    // more expensive by a fifth and lowers the number of sign-ups per second.
    defaultValue: min(max(1, ProcessInfo.processInfo.activeProcessorCount - 1), 256),
    meaning: "Event loops; by default one per core, minus one for the writer of the store",
    within: 1...256
  )
  let maxConnections = Setting(
    name: "max-connections", defaultValue: 20_000,
    meaning: "Connections open at one time",
    within: 1...1_000_000)
  let maxConnectionsPerClient = Setting(
    name: "max-connections-per-client", defaultValue: 256,
    meaning: "The same for each client, except trusted proxies",
    within: 1...1_000_000)
  let connectionRate = Setting<RequestRate>(
    name: "connection-rate",
    defaultValue: .limited(count: 100, per: .seconds(1)),
    defaultText: "100/1s",
    meaning: """
      New connections for each client, except trusted proxies; further ones are closed \
      immediately. Or `off`
      """,
    expected: "off, or a number from 1 to 10000 and a duration from 1s to 24h: 100/1s",
    convert: { RequestRate($0) }
  )
  let maxStreams = Setting(
    name: "max-streams", defaultValue: 10_000,
    meaning: "Event streams open at one time, at most half of the connections",
    within: 0...1_000_000)
  let maxStreamsPerClient = Setting(
    name: "max-streams-per-client",
    defaultValue: 20,
    meaning: "The same for each client",
    within: 1...1_000_000
  )
  let requestTimeout = Setting(
    name: "request-timeout",
    defaultValue: .seconds(30),
    meaning: """
      Time to receive a request (its head within a third of that), for the client to read \
      the response, and to stay idle
      """,
    within: .seconds(1) ... .seconds(3600)
  )
  let trustedProxies = Setting<[ClientNetwork]>(
    name: "trusted-proxies",
    defaultValue: ClientNetwork.loopback,
    defaultText: "loopback",
    meaning: """
      Networks of [proxies](operating/proxies.md) whose `Forwarded` or `X-Forwarded-For` \
      names the client, the rightmost address that is not trusted. `loopback` is \
      127.0.0.0/8, `::1` and the Unix socket, `unix` only the latter; or `none`
      """,
    expected: "none, or networks separated by commas: loopback,10.0.0.0/8,2001:db8::7,unix",
    convert: { text in
      SettingText.list(text) { part in
        part == "loopback" ? ClientNetwork.loopback : ClientNetwork(part).map { [$0] }
      }
    }
  )
  let signupRate = Setting.rate(
    name: "signup-rate", count: 30,
    meaning: "Sign-ups for each client, or `off`; `30/10m` is a burst of 30, then one every 20 s")
  let checkRate = Setting.rate(
    name: "check-rate", count: 600,
    meaning: "The same for email checks")
  let streamRate = Setting.rate(
    name: "stream-rate", count: 120,
    meaning: """
      Event streams that each client opens, or `off`, which also ends the limit on \
      [old events](streams.md#resuming) of `/status`
      """)
  let drain = Setting(
    name: "drain", defaultValue: .seconds(5),
    meaning: "How long to wait for event streams after SIGTERM", within: .zero ... .seconds(3600))
  let maxBody = Setting<ByteCount>(
    name: "max-body",
    defaultValue: ByteCount(bytes: 16_384),
    defaultText: "16KiB",
    meaning: "Largest request body",
    expected: "a size such as 4096, 16KiB or 1MiB, from 256 to 16MiB",
    convert: { text in
      ByteCount(text).flatMap { (256...16_777_216).contains($0.bytes) ? $0 : nil }
    }
  )
  let bodyMemory = Setting<ByteCount>(
    name: "body-memory",
    defaultValue: ByteCount(bytes: 64 << 20),
    defaultText: "64MiB",
    meaning: """
      Memory for all bodies that arrive in more than one part; when it is used up, further \
      ones get 503
      """,
    expected: "a size such as 4MiB or 1GiB, from 64KiB to 16GiB",
    convert: { text in
      ByteCount(text).flatMap { (65_536...17_179_869_184).contains($0.bytes) ? $0 : nil }
    }
  )
  let heartbeat = Setting(
    name: "heartbeat", defaultValue: .seconds(15),
    meaning: "Interval of keep-alive comments on an idle stream",
    within: .milliseconds(10) ... .seconds(3600))
  let streamLifetime = Setting(
    name: "stream-lifetime",
    defaultValue: .seconds(480) ... .seconds(600),
    meaning: """
      How long a stream lasts, random within the range; clients reconnect automatically
      """,
    within: .milliseconds(10) ... .seconds(86_400)
  )
  let streamStall = Setting(
    name: "stream-stall", defaultValue: .seconds(10),
    meaning: "How long a client may stop reading before its stream is closed",
    within: .milliseconds(10) ... .seconds(3600))
  let streamHistory = Setting(
    name: "stream-history", defaultValue: 8192,
    meaning: "Number of events of `/status` that are kept for clients that reconnect",
    within: 1...1_048_576)
  let executionHistory = Setting(
    name: "execution-history", defaultValue: .seconds(600),
    meaning: "How long the events of an execution are kept after its end",
    within: .seconds(1) ... .seconds(86_400))
  let logLevel = Setting<Logger.Level>(
    name: "log-level",
    defaultValue: .info,
    meaning: """
      Least severity to log: `trace`, `debug`, `info`, `notice`, `warning`, `error` or \
      `critical`
      """
  )
  let logFormat = Setting<LogFormat>(
    name: "log-format", defaultValue: .text,
    meaning: """
      Format of the lines on standard error: `text`, with colors on a terminal unless \
      `NO_COLOR` is set, or `json`
      """)
}

extension Setting where Value == RequestRate {
  /// Creates a row for a rate; the default applies to ten minutes.
  fileprivate static func rate(name: String, count: Int, meaning: String) -> Setting<RequestRate> {
    Setting(
      name: name, defaultValue: .limited(count: count, per: .seconds(600)),
      defaultText: "\(count)/10m", meaning: meaning,
      expected: "off, or a number from 1 to 10000 and a duration from 1s to 24h: \(count)/10m",
      convert: { RequestRate($0) })
  }
}
