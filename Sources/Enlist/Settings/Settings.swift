internal import Networking
internal import DNSLookup
internal import Delivery
internal import EmailAddresses
internal import HTTPSignals
internal import Logging
internal import MailingList
internal import OperatorService
internal import Secrets
internal import SubscribeService

/// The settings of the program, all of them valid.
///
/// ``SettingTable`` defines the rows, their defaults and their valid values.
struct Settings: Sendable {
  /// The address of the public listener.
  let listen: ListenAddress
  /// The path of the certificate; `nil` without TLS.
  let tlsCertificate: String?
  /// The path of the certificate's private key; `nil` without TLS.
  let tlsKey: String?
  let database: DatabaseLocation
  /// The time for which a write waits while another process holds the database lock.
  let databaseTimeout: Duration
  /// Access to the merged stream.
  let statusStream: StatusStream
  /// The scope of the one-at-a-time rule.
  let commandScope: SubscribeCommands.Scope
  /// The service's public origin; `nil` when unset.
  let publicURL: WebOrigin?
  /// The origins that may call the service from a browser.
  let allowedOrigins: AllowedOrigins
  /// The validation level of addresses.
  let emailLevel: EmailLevel
  /// Whether a DNS query checks each domain before a sign-up is stored.
  let checkDeliverability: Switch
  /// The DNS server to query; `nil` for the system's.
  let dnsServer: DNSServer?
  /// The number of threads that serve connections.
  let threads: Int
  /// The maximum number of open connections.
  var maxConnections: Int
  /// The maximum number of open connections per client.
  let maxConnectionsPerClient: Int
  /// The rate of new connections per client.
  let connectionRate: RequestRate
  /// The maximum number of open event streams.
  var maxStreams: Int
  /// The maximum number of open event streams per client.
  let maxStreamsPerClient: Int
  /// The time limit for a request from its first byte to its last.
  let requestTimeout: Duration
  /// The networks of trusted reverse proxies, which identify the client.
  let trustedProxies: [ClientNetwork]
  /// The rate of sign-ups per client.
  let signupRate: RequestRate
  /// The rate of email checks per client.
  let checkRate: RequestRate
  /// The rate of new event streams per client.
  let streamRate: RequestRate
  /// The time limit for event streams to finish on shutdown.
  let drain: Duration
  /// The maximum size of a request body.
  let maxBody: ByteCount
  /// The memory for request bodies that arrive in parts.
  var bodyMemory: ByteCount
  /// The silence of an event stream after which a keep-alive comment is sent.
  let heartbeat: Duration
  /// The range of an event stream's lifetime.
  let streamLifetime: ClosedRange<Duration>
  /// The time for which a client may stop reading before its event stream is closed.
  let streamStall: Duration
  /// The number of status events that are retained for clients that reconnect.
  let streamHistory: Int
  /// The time for which the messages of an execution are retained after its end.
  let executionHistory: Duration
  /// The minimum severity to log.
  let logLevel: Logger.Level
  /// The format of log lines.
  let logFormat: LogFormat
  /// The address of the operator's listener; `nil` for none.
  let operatorListen: ListenAddress?
  /// The maximum number of connections of the operator's listener.
  var operatorMaxConnections: Int
  /// Where browsers reach the board; `nil` if no proxy stands in front.
  let operatorURL: WebOrigin?
  /// Access to the metrics.
  let metricsAccess: OperatorDependencies.MetricsAccess
  /// How long events are stored; `nil` is forever.
  let eventRetention: Duration?
  /// The private networks that webhooks may reach.
  let webhookNetworks: [CIDRBlock]
  /// The path of a file with authorities that webhooks trust as well.
  let webhookCA: String?
  /// Whether the owner of an address must confirm; if `nil`, that depends on whether mail can be
  /// sent.
  let optIn: OptIn?
  /// The URL of the relay, which may contain a password.
  let smtpURL: HiddenText?
  /// The user name for the relay, which replaces that of the URL.
  let smtpUser: String?
  /// The password for the relay, which replaces that of the URL.
  let smtpPassword: HiddenText?
  /// The use of TLS with the relay; if `nil`, it depends on the URL and the user.
  let smtpTLS: SMTPSecurity?
  /// The path of the only certificate authorities to trust; `nil` for the system's.
  let smtpCA: String?
  /// The maximum number of connections to the relay.
  let smtpConnections: Int
  /// The budget of all mails that sign-ups cause, if any.
  let mailBudget: MailBudget?
  /// The budget of the mails to one domain that is not known, if any.
  let mailBudgetPerDomain: MailBudget?
  /// The recipient of alarms about a spent budget, if any.
  let alarmTo: Mailbox?
  /// The time limit for one reply of the relay.
  let smtpTimeout: Duration
  /// The path of the directory that receives mail instead of a relay.
  let mailToDirectory: String?
  /// The sender of mail.
  let mailFrom: Mailbox?
  /// The recipient of replies to mail; `nil` for the sender.
  let mailReplyTo: Mailbox?
  /// The sender of the envelope, which receives bounces; `nil` for the sender of mail.
  let bounceAddress: EmailAddress?
  /// The text at the end of each mail.
  let mailFooter: String?
  /// The name of the list; `nil` for the host of the public origin.
  let listName: String?
  /// The sentence about the list.
  let listDescription: String?
  /// The pages of the list's site.
  let siteURL: String?
  let privacyURL: String?
  let imprintURL: String?
  /// The path of the picture of the list.
  let logo: String?
  /// The color of buttons and links.
  let accentColor: AccentColor?
  /// The text that visitors must agree to.
  let consentText: String?
  /// The fields of the form beside the address.
  let fields: [FormField]
  /// The path of the directory with texts of pages and mail.
  let texts: String?
  /// The path of the style sheet for the pages.
  let stylesheet: String?
  /// The path of the directory with templates of mail.
  let templates: String?
  /// The longest time to the second attempt to send a mail.
  let mailRetry: Duration
  /// Whether mail contains a code.
  let confirmCode: Switch
  /// Whether an execution's event stream reports the confirmation.
  let confirmedEvent: Switch
  /// The part of the client's address that is stored with a consent.
  let consentAddress: ConsentAddress
  /// The secret from which links and codes are derived; `nil` for the one in the database.
  let secret: Keyring?
  /// The path of the file that contains the secret.
  let secretFile: String?

  init(_ layers: SettingLayers) throws(SettingError) {
    listen = try layers.value(of: SettingTable.listen)
    tlsCertificate = try layers.value(of: SettingTable.tlsCertificate)
    tlsKey = try layers.value(of: SettingTable.tlsKey)
    database = try layers.value(of: SettingTable.database)
    databaseTimeout = try layers.value(of: SettingTable.databaseTimeout)
    statusStream = try layers.value(of: SettingTable.statusStream)
    commandScope = try layers.value(of: SettingTable.commandScope)
    publicURL = try layers.value(of: SettingTable.publicURL)
    allowedOrigins = try layers.value(of: SettingTable.allowedOrigins)
    try Self.requireShortPolicy(with: allowedOrigins)
    emailLevel = try layers.value(of: SettingTable.emailLevel)
    checkDeliverability = try layers.value(of: SettingTable.checkDeliverability)
    dnsServer = try layers.value(of: SettingTable.dnsServer)
    threads = try layers.value(of: SettingTable.threads)
    maxConnections = try layers.value(of: SettingTable.maxConnections)
    maxConnectionsPerClient = try layers.value(of: SettingTable.maxConnectionsPerClient)
    connectionRate = try layers.value(of: SettingTable.connectionRate)
    maxStreamsPerClient = try layers.value(of: SettingTable.maxStreamsPerClient)
    maxStreams = try layers.value(of: SettingTable.maxStreams)
    requestTimeout = try layers.value(of: SettingTable.requestTimeout)
    trustedProxies = try layers.value(of: SettingTable.trustedProxies)
    signupRate = try layers.value(of: SettingTable.signupRate)
    checkRate = try layers.value(of: SettingTable.checkRate)
    streamRate = try layers.value(of: SettingTable.streamRate)
    drain = try layers.value(of: SettingTable.drain)
    maxBody = try layers.value(of: SettingTable.maxBody)
    bodyMemory = try layers.value(of: SettingTable.bodyMemory)
    streamLifetime = try layers.value(of: SettingTable.streamLifetime)
    streamStall = try layers.value(of: SettingTable.streamStall)
    heartbeat = try layers.value(of: SettingTable.heartbeat)
    streamHistory = try layers.value(of: SettingTable.streamHistory)
    executionHistory = try layers.value(of: SettingTable.executionHistory)
    logLevel = try layers.value(of: SettingTable.logLevel)
    logFormat = try layers.value(of: SettingTable.logFormat)
    operatorListen = try layers.value(of: SettingTable.operatorListen)
    try Self.requireDifferent(operatorListen, from: listen)
    operatorMaxConnections = try layers.value(of: SettingTable.operatorMaxConnections)
    operatorURL = try layers.value(of: SettingTable.operatorURL)
    metricsAccess = try layers.value(of: SettingTable.metricsAccess)
    eventRetention = try layers.value(of: SettingTable.eventRetention)
    webhookNetworks = try layers.value(of: SettingTable.webhookNetworks)
    webhookCA = try layers.value(of: SettingTable.webhookCA)
    optIn = try layers.value(of: SettingTable.optIn)
    smtpURL = try layers.value(of: SettingTable.smtpURL)
    smtpUser = try layers.value(of: SettingTable.smtpUser)
    smtpPassword = try layers.value(of: SettingTable.smtpPassword)
    smtpTLS = try layers.value(of: SettingTable.smtpTLS)
    smtpCA = try layers.value(of: SettingTable.smtpCA)
    smtpConnections = try layers.value(of: SettingTable.smtpConnections)
    mailBudget = try layers.value(of: SettingTable.mailBudget)
    mailBudgetPerDomain = try layers.value(of: SettingTable.mailBudgetPerDomain)
    alarmTo = try layers.value(of: SettingTable.alarmTo)
    smtpTimeout = try layers.value(of: SettingTable.smtpTimeout)
    mailToDirectory = try layers.value(of: SettingTable.mailToDirectory)
    mailFrom = try layers.value(of: SettingTable.mailFrom)
    mailReplyTo = try layers.value(of: SettingTable.mailReplyTo)
    bounceAddress = try layers.value(of: SettingTable.bounceAddress)
    mailFooter = try layers.value(of: SettingTable.mailFooter)
    listName = try layers.value(of: SettingTable.listName)
    listDescription = try layers.value(of: SettingTable.listDescription)
    siteURL = try layers.value(of: SettingTable.siteURL)
    privacyURL = try layers.value(of: SettingTable.privacyURL)
    imprintURL = try layers.value(of: SettingTable.imprintURL)
    logo = try layers.value(of: SettingTable.logo)
    accentColor = try layers.value(of: SettingTable.accentColor)
    consentText = try layers.value(of: SettingTable.consentText)
    fields = try layers.value(of: SettingTable.fields)
    texts = try layers.value(of: SettingTable.texts)
    stylesheet = try layers.value(of: SettingTable.stylesheet)
    templates = try layers.value(of: SettingTable.templates)
    mailRetry = try layers.value(of: SettingTable.mailRetry)
    confirmCode = try layers.value(of: SettingTable.confirmCode)
    confirmedEvent = try layers.value(of: SettingTable.confirmedEvent)
    consentAddress = try layers.value(of: SettingTable.consentAddress)
    secret = try layers.value(of: SettingTable.secret)
    secretFile = try layers.value(of: SettingTable.secretFile)
  }

  /// Rejects an operator's listener with the address of the public one.
  private static func requireDifferent(
    _ operatorAddress: ListenAddress?,
    from address: ListenAddress
  ) throws(SettingError) {
    // With port 0, each listener gets its own port.
    if case .network(let host) = address, host.port == 0 { return }
    guard operatorAddress == address else { return }
    throw SettingError(
      setting: "--\(SettingTable.operatorListen.name)",
      value: address.description,
      reason: "expected another address than that of --\(SettingTable.listen.name)"
    )
  }

  /// Rejects a list of origins that does not fit into the Content-Security-Policy of a response.
  private static func requireShortPolicy(
    with origins: AllowedOrigins
  ) throws(SettingError) {
    let bytes = ServiceResponsePolicy.policyBytes(with: origins)
    guard bytes > ServiceResponsePolicy.maximumPolicyBytes else { return }
    throw SettingError(
      setting: "--\(SettingTable.allowedOrigins.name)",
      value: origins.sources.joined(separator: ","),
      reason: """
        the Content-Security-Policy of the pages would take \(bytes) bytes; \
        expected at most \(ServiceResponsePolicy.maximumPolicyBytes): list fewer origins
        """
    )
  }
}
