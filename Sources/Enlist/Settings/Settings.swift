internal import DNSLookup
internal import HTTPSignals
internal import Logging
internal import MailingList
internal import SubscribeService

/// What the program was told, once all of it is known to be allowed.
///
/// Which rows there are, their defaults and what is allowed stand in ``SettingTable``.
struct Settings: Sendable {
  /// Where to accept connections.
  let listen: ListenAddress
  /// The certificate's file.
  let tlsCertificate: String?
  /// The file of the certificate's key.
  let tlsKey: String?
  /// Where the list is kept.
  let database: DatabaseLocation
  /// How long a write waits for another process that holds the database's lock.
  let databaseTimeout: Duration
  /// Whether everybody may read the merged stream.
  let statusStream: StatusStream
  /// What has a command of its own.
  let commandScope: SubscribeCommands.Scope
  /// Where the service is reached from outside; `nil` when nobody said.
  let publicURL: WebOrigin?
  /// Sites that may use the service from their pages.
  let allowedOrigins: AllowedOrigins
  /// How strictly addresses are validated.
  let emailLevel: EmailLevel
  /// Whether the DNS is asked before a sign-up is stored.
  let checkDeliverability: Switch
  /// Who is asked; `nil` is the system's.
  let dnsServer: DNSServer?
  /// Threads that serve connections.
  let threads: Int
  /// Connections open at one time.
  var maxConnections: Int
  /// Connections of one client.
  let maxConnectionsPerClient: Int
  /// New connections of one client.
  let connectionRate: RequestRate
  /// Event streams open at one time.
  var maxStreams: Int
  /// Event streams of one client open at one time.
  let maxStreamsPerClient: Int
  /// How long a request may take from its first byte to its last.
  let requestTimeout: Duration
  /// Proxies in front, who may name the client.
  let trustedProxies: [CIDRBlock]
  /// Sign-ups taken from one client.
  let signupRate: RequestRate
  /// Email checks accepted from one client.
  let checkRate: RequestRate
  /// Event streams that one client may open.
  let streamRate: RequestRate
  /// How long the stop lets event streams end.
  let drain: Duration
  /// Largest body of a request.
  let maxBody: ByteCount
  /// Memory for bodies that are arriving.
  var bodyMemory: ByteCount
  /// How long an event stream may be silent.
  let heartbeat: Duration
  /// How long an event stream lasts.
  let streamLifetime: ClosedRange<Duration>
  /// How long the client of an event stream may take nothing.
  let streamStall: Duration
  /// How many status events are kept for readers that come back.
  let streamHistory: Int
  /// How long the messages of an execution are kept after its end.
  let executionHistory: Duration
  /// The least severe that is logged.
  let logLevel: Logger.Level
  /// How a log line is written.
  let logFormat: LogFormat

  /// Reads every setting.
  ///
  /// - Parameter layers: Where settings come from.
  /// - Throws: `SettingError` for the first one that is not allowed.
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
  }

  /// Rejects more origins than the head of a response has room for.
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
        expected at most \(ServiceResponsePolicy.maximumPolicyBytes): name fewer origins
        """
    )
  }
}
