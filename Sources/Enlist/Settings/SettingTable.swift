internal import Delivery
internal import EmailAddresses
internal import FoundationEssentials
internal import HTTPSignals
internal import Logging
internal import MailingList
internal import Platform
internal import Services

/// All settings, each of them once: name, default, valid texts, help.
///
/// Laid out by hand: a row begins with the name, the default and the kind of the setting.
// swift-format-ignore
struct SettingTable: Sendable {
  // The service: where it listens and stores, whom it answers, its limits and log.

  let listen = Setting<SocketAddress?>(
    "listen", .network(HostAndPort(host: .v4(0x7F00_0001), port: 8080)), .listen, """
    Address and port; `[::]:8080` is all IPv4 and IPv6 addresses, and port 0 picks a free one. \
    `unix:PATH` creates a socket for its owner and group; `systemd` uses the socket that systemd \
    passes
    """)
  let tlsCertificate = Setting("tls-certificate", .optional(.file),
    "PEM file with the certificate chain; the service then serves only HTTPS, with TLS 1.2 and 1.3")
  let tlsKey = Setting("tls-key", .optional(.file),
    "PEM file with the private key. With ECDSA, handshakes are several times cheaper than with RSA")
  let database = Setting<DatabaseLocation>("database", .sqlite(path: "enlist.sqlite"), .database,
    "`sqlite:PATH`, or `postgres://USER@HOST[,HOST]/DATABASE` for [PostgreSQL](postgresql.md)")
  let databaseTimeout = Setting<Duration>(
    "database-timeout", .seconds(5), .duration("0s", "1m"), """
    How long a sign-up waits for another process to release its lock, or for the database \
    server, however many are waiting
    """)
  let statusStream = Setting<Bool>("status-stream", true, .words(["public": true, "off": false]),
    "Access to `GET /status`, the stream of all sign-ups: `public` or `off`")
  let commandScope = Setting<SubscribeCommands.Scope>("command-scope", .address, .choice, """
    Scope of the rule that one sign-up runs at a time: `address`, or `service` for all addresses \
    together
    """)
  let publicURL = Setting("public-url", .optional(.origin), """
    The public origin of the service, always allowed to post. A request for another host gets \
    421, except for `/livez` and `/readyz`
    """)
  let allowedOrigins = Setting("allowed-origins", AllowedOrigins.none, .origins, """
    Origins that may call the service from a browser, and to which a form may redirect: \
    `https://example.com,https://*.example.org`
    """)
  let emailLevel = Setting<EmailLevel>("email-level", .form, .choice, """
    How strictly addresses are validated: `form`, or `test`, which also accepts `.test`, \
    `.example`, `.localhost` and the like
    """)
  let checkDeliverability = Setting("check-deliverability", false, .onOff, """
    `on` asks the DNS whether a domain accepts mail; only a definitive no rejects, with the code \
    `undeliverable`
    """)
  let dnsServer = Setting("dns-server", .optional(.dnsServer, or: "system"),
    "DNS server to ask: an IPv4 address and a port, or `system`")
  let threads = Setting("threads", Self.loops, .whole(1...256),
    "Event loops; by default one per core, minus one for the writer of the store")
  let maxConnections = Setting("max-connections", 20_000, .whole(1...1_000_000),
    "Connections open at one time")
  let maxConnectionsPerClient = Setting("max-connections-per-client", 256, .whole(1...1_000_000),
    "The same for each client, except trusted proxies")
  let connectionRate = Setting<RequestRate>(
    "connection-rate", .limited(count: 100, per: .seconds(1)), .rate, """
    New connections for each client, except trusted proxies; further ones are closed \
    immediately. Or `off`
    """)
  let maxStreams = Setting("max-streams", 10_000, .whole(0...1_000_000),
    "Event streams open at one time, at most half of the connections")
  let maxStreamsPerClient = Setting("max-streams-per-client", 20, .whole(1...1_000_000),
    "The same for each client")
  let requestTimeout = Setting<Duration>("request-timeout", .seconds(30), .duration("1s", "1h"), """
    Time to receive a request (its head within a third of that), for the client to read the \
    response, and to stay idle
    """)
  let trustedProxies = Setting("trusted-proxies", ClientNetwork.loopback, .proxies, """
    Networks of [proxies](operating/proxies.md) whose `Forwarded` or `X-Forwarded-For` names the \
    client, the rightmost address that is not trusted. `loopback` is 127.0.0.0/8, `::1` and the \
    Unix socket, `unix` only the latter; or `none`
    """)
  let signupRate = Setting<RequestRate>(
    "signup-rate", .limited(count: 30, per: .seconds(600)), .rate,
    "Sign-ups for each client, or `off`; `30/10m` is a burst of 30, then one every 20 s")
  let checkRate = Setting<RequestRate>(
    "check-rate", .limited(count: 600, per: .seconds(600)), .rate,
    "The same for email checks")
  let streamRate = Setting<RequestRate>(
    "stream-rate", .limited(count: 120, per: .seconds(600)), .rate, """
    Event streams that each client opens, or `off`, which also ends the limit on [old \
    events](streams.md#resuming) of `/status`
    """)
  let drain = Setting<Duration>("drain", .seconds(5), .duration("0s", "1h"),
    "How long to wait for event streams after SIGTERM")
  let maxBody = Setting<Int>("max-body", 16 << 10, .size("256", "16MiB"), "Largest request body")
  let bodyMemory = Setting<Int>("body-memory", 64 << 20, .size("64KiB", "16GiB"), """
    Memory for all bodies that arrive in more than one part; when it is used up, further ones \
    get 503
    """)
  let heartbeat = Setting<Duration>("heartbeat", .seconds(15), .duration("10ms", "1h"),
    "Interval of keep-alive comments on an idle stream, or of `ping` events")
  let streamLifetime = Setting(
    "stream-lifetime", Duration.seconds(480) ... .seconds(600), .durations("10ms", "1d"),
    "How long a stream lasts, random within the range; clients reconnect automatically")
  let streamStall = Setting<Duration>("stream-stall", .seconds(10), .duration("10ms", "1h"),
    "How long a client may stop reading before its stream is closed")
  let streamHistory = Setting("stream-history", 8192, .whole(1...1_048_576),
    "Number of events of `/status` that are kept for clients that reconnect")
  let executionHistory = Setting<Duration>(
    "execution-history", .seconds(600), .duration("1s", "1d"),
    "How long the events of an execution are kept after its end")
  let logLevel = Setting<Logger.Level>("log-level", .info, .choice,
    "Least severity to log: `trace`, `debug`, `info`, `notice`, `warning`, `error` or `critical`")
  let logFormat = Setting<LogFormat>("log-format", .text, .choice, """
    Format of the lines on standard error: `text`, with colors on a terminal unless `NO_COLOR` \
    is set, or `json`
    """)

  // The operator's listener, and what it shows and sends.

  let operatorListen = Setting("operator-listen", .optional(.operatorListen), """
    A second address, as for `--listen`, with the [board](operating/board.md), the \
    [API](operating/api.md), [metrics](operating/metrics.md) and health checks, none of which is \
    reachable through the public one
    """)
  let operatorMaxConnections = Setting("operator-max-connections", 256, .whole(1...1_000_000),
    "Connections open at one time there, a quarter of them for one client")
  let operatorURL = Setting("operator-url", .optional(.origin), """
    Where browsers reach the [board](operating/board.md) if a proxy stands in front: \
    `https://board.example.org`
    """)
  let metricsAccess = Setting<Operator.MetricsAccess>("metrics-access", .key, .choice,
    "`key`: metrics need a [key](operating/api.md#keys) with the scope `metrics`; or `open`")
  let eventRetention = Setting<Duration?>(
    "event-retention", .seconds(30 * 86_400),
    .optional(.duration("1d", "3650d", such: "30d"), or: "forever"), """
    How long the [changes of the list](operating/events.md) are kept for programs that read \
    them: `1d` to `3650d`, or `forever`
    """)
  let webhookNetworks = Setting("webhook-networks", [], .networks, """
    Private networks that [webhooks](operating/webhooks.md) may reach, there also over `http`: \
    `10.0.0.0/8,fd00::/8`
    """)
  let webhookCA = Setting("webhook-ca", .optional(.file),
    "PEM file with certificate authorities that webhooks trust in addition to those of the system")

  // The list: the look and the words of its pages and mails.

  let listName = Setting("list-name", .optional(.line(200)),
    "Name of the list in mails and on pages; by default the host of `--public-url`")
  let listDescription = Setting("list-description", .optional(.line(500)),
    "The sentence below the name on the sign-up page, also for sites that show a link to the page")
  let siteURL = Setting("site-url", .optional(.url),
    "The site of the list: the name links to it, and so do the pages after confirming and leaving")
  let logo = Setting("logo", .optional(.file), """
    PNG or SVG file of at most 64 KiB, on pages. Mails show a PNG, by a link, if `--public-url` \
    begins with `https`
    """)
  let accentColor = Setting("accent-color", .optional(.color), """
    Color of buttons and links, such as `#1f5fa8`. It is made darker on light pages and lighter \
    on dark ones where its contrast would be below 4.5:1
    """)
  let privacyURL = Setting("privacy-url", .optional(.url),
    "Page about privacy, linked at the foot of every page and mail")
  let imprintURL = Setting("imprint-url", .optional(.url),
    "Page with the legal notice, linked there as well")
  let consentText = Setting("consent-text", .optional(.line(1000)), """
    Text beside a box that visitors must check, on the sign-up page and in embedded forms \
    without a field `consent`; it is stored with the sign-up
    """)
  let fields = Setting("fields", [], .fields, """
    Up to \(FormField.maximumCount) [fields](embedding.md#fields) beside the address, such as \
    `name*,city`; `*` makes one required
    """)
  let texts = Setting("texts", .optional(.directory), """
    Directory with [texts of your own](embedding.md#your-own-texts): `de.json` replaces German \
    ones, `pt.json` adds a language
    """)
  let stylesheet = Setting("stylesheet", .optional(.file), """
    CSS file of at most 64 KiB for the pages, after that of the service; it can load nothing \
    from other sites
    """)

  // Mail and the secret.

  let optIn = Setting<OptIn?>("opt-in", .optional(.choice, or: "auto"), """
    `double`: the owner confirms by a mail; `single`: a sign-up suffices, and no mail is sent. \
    `auto` is `double` with `--smtp-url` or `--mail-to-directory`, otherwise `single`
    """)
  let smtpURL = Setting("smtp-url", .optional(.relay), """
    The relay: `smtp://[user:password@]host[:port]` (port 25, or 587 with a user), or `smtps://` \
    (465) for TLS from the first byte
    """)
  let smtpUser = Setting("smtp-user", .optional(.line(255)),
    "User of the relay, not percent-encoded; replaces that of the URL")
  let smtpPassword = Setting("smtp-password", .optional(.password),
    "Password of the relay, not percent-encoded; replaces that of the URL")
  let smtpTLS = Setting<SMTPSecurity?>("smtp-tls", .optional(.choice, or: "auto"), """
    `required`: encrypted and verified; `opportunistic`: if the relay offers it, not verified, \
    only without a user; `off`. `auto` is `required` with a user or `smtps://`, otherwise \
    `opportunistic`
    """)
  let smtpCA = Setting("smtp-ca", .optional(.file, or: "system"),
    "PEM file with the only certificate authorities to trust for the relay")
  let smtpConnections = Setting("smtp-connections", 2, .whole(1...32), "Connections to the relay")
  let smtpTimeout = Setting<Duration>("smtp-timeout", .seconds(60), .duration("1s", "10m"),
    "How long the relay may take for one reply; a whole mail may take 2.5 times as long")
  let mailToDirectory = Setting("mail-to-directory", .optional(.directory),
    "Instead of a relay, for development: one `.eml` file for each mail")
  let mailFrom = Setting("mail-from", .optional(.mailbox), """
    Sender: `ADDRESS` or `NAME <ADDRESS>`, by default with the name of the list. Mail requires \
    it, and `--public-url`
    """)
  let mailReplyTo = Setting("mail-reply-to", .optional(.mailbox),
    "Where replies go, if not to the sender")
  let bounceAddress = Setting("bounce-address", .optional(.address, or: "from"),
    "The sender of the envelope, to which bounces go; `from` is `--mail-from`")
  let mailFooter = Setting("mail-footer", .optional(.line(1000, allowing: "\n")),
    "Text at the end of each mail: a postal address or imprint, where the law asks for one")
  let templates = Setting("templates", .optional(.directory),
    "Directory with [templates](mail.md#templates) of mails")
  let mailRetry = Setting<Duration>("mail-retry", .seconds(60), .duration("10ms", "4h"),
    "Longest time to the second attempt; it doubles up to 4 hours, for 3 days")
  let mailBudget = Setting<MailBudget?>(
    "mail-budget", MailBudget(count: 500, per: .seconds(86_400)), .optional(.budget, or: "off"),
    "Mails without a confirmation at which further ones are [held](mail.md#budgets); or `off`")
  let mailBudgetPerDomain = Setting<MailBudget?>(
    "mail-budget-per-domain", MailBudget(count: 20, per: .seconds(86_400)),
    .optional(.budget, or: "off"),
    "The same for each domain, except those of large mail providers")
  let alarmTo = Setting("alarm-to", .optional(.mailbox),
    "Who gets a mail when `--mail-budget` is spent, at most once in 6 hours")
  let confirmCode = Setting("confirm-code", true, .onOff,
    "Whether mails contain a code to type instead of opening the link: `on` or `off`")
  let confirmedEvent = Setting("confirmed-event", true, .onOff, """
    Whether the stream of an execution with `?until=confirmed` reports the confirmation: `on` or \
    `off`
    """)
  let consentAddress = Setting<ConsentAddress>("consent-address", .truncated, .choice, """
    The address of the client that is kept with a consent: `truncated` to /24 or /48, `off` or \
    `full`
    """)
  let secret = Setting("secret", .optional(.secret, or: "generated"), """
    Base64 of 32 to 64 bytes from which [links and codes are derived](mail.md#secret), or \
    `NEW,OLD`; by default made at the first start and kept in the database
    """)
  let secretFile = Setting("secret-file", .optional(.file),
    "File that contains the value of `--secret`")

  // The store's writer also needs a core: on two cores, a second event loop makes each sign-up more
  // expensive by a fifth and lowers the number of sign-ups per second.
  private static let loops = min(max(1, ProcessInfo.processInfo.activeProcessorCount - 1), 256)

  static let all = SettingTable()
  /// In the order of their declarations.
  static let rows = Mirror(reflecting: all).children.compactMap { $0.value as? any SettingRow }
}
