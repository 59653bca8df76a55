internal import DNSLookup
internal import Foundation
internal import HTTPSignals
internal import Logging
internal import MailingList
internal import SubscribeService

/// Every setting there is: the one place that knows names, defaults and what is allowed.
enum SettingTable {
  static let listen = Setting<ListenAddress>(
    name: "listen",
    defaultValue: .network(.standard),
    defaultText: HostAndPort.standard.description,
    meaning:
      "Where to accept connections: an address and a port (0 picks one), a socket, or systemd's.",
    expected: "an address and a port, 127.0.0.1:8080 or [::]:8080; unix:PATH; systemd",
    convert: { ListenAddress($0) }
  )
  static let tlsCertificate = file(
    name: "tls-certificate",
    meaning:
      "The certificate of the service and those above it, PEM: speaks HTTPS, and nothing else."
  )
  static let tlsKey = file(
    name: "tls-key",
    meaning: "The private key of --tls-certificate, PEM."
  )
  static let database = Setting<DatabaseLocation>(
    name: "database",
    defaultValue: .sqlite(path: "enlist.sqlite"),
    defaultText: "sqlite:enlist.sqlite",
    meaning: "Where the list is kept.",
    expected: "sqlite:PATH (no other database yet)",
    convert: { DatabaseLocation($0) }
  )
  static let databaseTimeout = Setting(
    name: "database-timeout",
    defaultValue: .seconds(5),
    meaning: "How long a write waits for another process that holds the database's lock.",
    within: .zero ... .seconds(60)
  )
  static let statusStream = Setting<StatusStream>(
    name: "status-stream",
    defaultValue: .public,
    meaning: "Whether everybody may read the merged stream /status: public or off."
  )
  static let commandScope = Setting<SubscribeCommands.Scope>(
    name: "command-scope",
    defaultValue: .address,
    meaning: "What has a command of its own: each address, or the whole service."
  )
  static let publicURL = Setting<WebOrigin?>(
    name: "public-url",
    defaultValue: nil,
    defaultText: "none",
    meaning:
      "Where the service is reached from outside: its pages may post to it, no other host is served.",
    expected: "none, or a scheme, a host and perhaps a port: https://list.example.org",
    convert: { text in
      if text == "none" { return .some(nil) }
      return WebOrigin(text).map { .some($0) }
    }
  )
  static let allowedOrigins = Setting<AllowedOrigins>(
    name: "allowed-origins",
    defaultValue: .none,
    defaultText: "none",
    meaning: "Sites that may use the service from their pages, and to which forms may lead on.",
    expected:
      "none, or origins with commas between them: https://example.com,https://*.example.org",
    convert: { AllowedOrigins($0) }
  )
  static let emailLevel = Setting<EmailLevel>(
    name: "email-level",
    defaultValue: .form,
    meaning:
      "How strictly addresses are validated: form, or test, which takes example and test domains too."
  )
  static let checkDeliverability = Setting<Switch>(
    name: "check-deliverability",
    defaultValue: .off,
    meaning:
      "Whether the DNS is asked if a domain takes mail before a sign-up is stored: on or off."
  )
  static let dnsServer = Setting<DNSServer?>(
    name: "dns-server",
    defaultValue: nil,
    defaultText: "system",
    meaning: "Who is asked: an IPv4 address and a port, or system, as /etc/resolv.conf says.",
    expected: "system, or an address and a port such as 127.0.0.1:53",
    convert: { text in
      if text == "system" { return .some(nil) }
      return DNSServer(text).map { .some($0) }
    }
  )
  static let threads = Setting(
    name: "threads",
    // The store's writer needs a core as well: on two cores a second loop makes a sign-up dearer by
    // a fifth, and fewer a second.
    defaultValue: min(max(1, ProcessInfo.processInfo.activeProcessorCount - 1), 256),
    meaning: "Threads that serve connections; one less than cores unless set.",
    within: 1...256
  )
  static let maxConnections = Setting(
    name: "max-connections",
    defaultValue: 20_000,
    meaning: "Connections open at one time; more are turned away.",
    within: 1...1_000_000
  )
  static let maxConnectionsPerClient = Setting(
    name: "max-connections-per-client",
    defaultValue: 256,
    meaning: "Connections of one client; this machine and trusted proxies are not limited.",
    within: 1...1_000_000
  )
  static let connectionRate = Setting<RequestRate>(
    name: "connection-rate",
    defaultValue: .limited(count: 100, per: .seconds(1)),
    defaultText: "100/1s",
    meaning:
      "New connections of one client; this machine and trusted proxies are not limited; or off.",
    expected: "off, or a number from 1 to 10000 and a time from 1s to 24h: 100/1s",
    convert: { RequestRate($0) }
  )
  static let maxStreams = Setting(
    name: "max-streams",
    defaultValue: 10_000,
    meaning: "Event streams open at one time; at most half of the connections.",
    within: 0...1_000_000
  )
  static let maxStreamsPerClient = Setting(
    name: "max-streams-per-client",
    defaultValue: 20,
    meaning:
      "Event streams of one client open at one time; an IPv6 /64 is one, this machine not limited.",
    within: 1...1_000_000
  )
  static let requestTimeout = Setting(
    name: "request-timeout",
    defaultValue: .seconds(30),
    meaning:
      "From the first byte of a request to the last, its head in a third; for its answer; for silence.",
    within: .seconds(1) ... .seconds(3600)
  )
  static let trustedProxies = Setting<[CIDRBlock]>(
    name: "trusted-proxies",
    defaultValue: CIDRBlock.loopback,
    defaultText: "loopback",
    meaning: "Proxies in front, whose Forwarded or X-Forwarded-For names the client.",
    expected: "none, or networks with commas between them: loopback,10.0.0.0/8,2001:db8::7,unix",
    convert: { text in
      guard text != "none" else { return [] }
      var networks: [CIDRBlock] = []
      for part in text.split(separator: ",", omittingEmptySubsequences: false) {
        let part = part.drop { $0 == " " }
        if part == "loopback" {
          networks += CIDRBlock.loopback
        } else if let network = CIDRBlock(part) {
          networks.append(network)
        } else {
          return nil
        }
      }
      return networks
    }
  )
  static let signupRate = rate(
    name: "signup-rate",
    count: 30,
    meaning: "Sign-ups taken from one client: so many at once, then evenly over the time; or off."
  )
  static let checkRate = rate(
    name: "check-rate",
    count: 600,
    meaning: "Email checks accepted from one client, counted like sign-ups; or off."
  )
  static let streamRate = rate(
    name: "stream-rate",
    count: 120,
    meaning: "Event streams that one client may open, counted like sign-ups; or off."
  )
  static let drain = Setting(
    name: "drain",
    defaultValue: .seconds(5),
    meaning: "How long the stop lets event streams end.",
    within: .zero ... .seconds(3600)
  )
  static let maxBody = Setting<ByteCount>(
    name: "max-body",
    defaultValue: ByteCount(bytes: 16_384),
    defaultText: "16KiB",
    meaning: "Largest body of a request.",
    expected: "a size such as 4096, 16KiB or 1MiB, from 256 to 16MiB",
    convert: { text in
      ByteCount(text).flatMap { (256...16_777_216).contains($0.bytes) ? $0 : nil }
    }
  )
  static let bodyMemory = Setting<ByteCount>(
    name: "body-memory",
    defaultValue: ByteCount(bytes: 64 << 20),
    defaultText: "64MiB",
    meaning: "Memory for bodies that arrive in parts; when it is used up, they get 503.",
    expected: "a size such as 4MiB or 1GiB, from 64KiB to 16GiB",
    convert: { text in
      ByteCount(text).flatMap { (65_536...17_179_869_184).contains($0.bytes) ? $0 : nil }
    }
  )
  static let heartbeat = Setting(
    name: "heartbeat",
    defaultValue: .seconds(15),
    meaning: "How long an event stream may be silent before it says that it lives.",
    within: .milliseconds(10) ... .seconds(3600)
  )
  static let streamLifetime = Setting(
    name: "stream-lifetime",
    defaultValue: .seconds(480) ... .seconds(600),
    meaning: "How long an event stream lasts, at random within; its client comes back by itself.",
    within: .milliseconds(10) ... .seconds(86_400)
  )
  static let streamStall = Setting(
    name: "stream-stall",
    defaultValue: .seconds(10),
    meaning: "How long the client of an event stream may take nothing before it is cut.",
    within: .milliseconds(10) ... .seconds(3600)
  )
  static let streamHistory = Setting(
    name: "stream-history",
    defaultValue: 8192,
    meaning: "How many status events are kept for readers that come back.",
    within: 1...1_048_576
  )
  static let executionHistory = Setting(
    name: "execution-history",
    defaultValue: .seconds(600),
    meaning: "How long the messages of an execution are kept after its end.",
    within: .seconds(1) ... .seconds(86_400)
  )
  static let logLevel = Setting<Logger.Level>(
    name: "log-level",
    defaultValue: .info,
    meaning:
      "The least severe that is logged: trace, debug, info, notice, warning, error, critical."
  )
  static let logFormat = Setting<LogFormat>(
    name: "log-format",
    defaultValue: .text,
    meaning: "How a log line is written to standard error: text or json."
  )

  /// All rows, in the order of `--help`.
  static let rows: [any SettingRow] = [
    listen, tlsCertificate, tlsKey, publicURL, allowedOrigins, trustedProxies,
    database, databaseTimeout,
    emailLevel, checkDeliverability, dnsServer,
    commandScope, signupRate, checkRate, streamRate,
    threads, maxConnections, maxConnectionsPerClient, connectionRate, requestTimeout, maxBody,
    bodyMemory,
    statusStream, maxStreams, maxStreamsPerClient, heartbeat, streamLifetime, streamStall,
    streamHistory, executionHistory,
    drain, logLevel, logFormat,
  ]

  /// A row whose value is a rate; the default's time is ten minutes.
  private static func rate(
    name: String,
    count: Int,
    meaning: String
  ) -> Setting<RequestRate> {
    Setting(
      name: name,
      defaultValue: .limited(count: count, per: .seconds(600)),
      defaultText: "\(count)/10m",
      meaning: meaning,
      expected: "off, or a number from 1 to 10000 and a time from 1s to 24h: \(count)/10m",
      convert: { RequestRate($0) }
    )
  }

  /// A row whose value is a file, or none.
  private static func file(name: String, meaning: String) -> Setting<String?> {
    Setting(
      name: name,
      defaultValue: nil,
      defaultText: "none",
      meaning: meaning,
      expected: "none, or the path of a file",
      convert: { text in
        guard text != "none" else { return .some(nil) }
        return text.isEmpty || text.utf8.contains(0) ? nil : text
      }
    )
  }
}
