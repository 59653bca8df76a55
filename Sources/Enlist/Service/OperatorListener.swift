internal import HTTPSignals
internal import Logging
internal import MailingList
internal import Microhttpd
internal import Services
internal import Platform
internal import Security
internal import Signals

/// The operator's listener, a separate daemon, so that an operator's requests never delay a
/// sign-up.
struct OperatorListener {
  private static let maximumStreams = 64

  /// The daemon, which has not been started.
  let daemon: Daemon

  /// Counts events as long as it is observed.
  private let tallying: Signal<Int, Never>
  private let counting = SerialDisposable()
  private let address: ListenAddress
  private let isSecure: Bool
  private let logger: Logger

  /// Creates a listener from the settings; the identity is `nil` without TLS.
  ///
  /// - Throws: `DaemonError` if the address cannot be bound.
  init(
    at address: ListenAddress, _ settings: Settings, identity: TLSIdentity?,
    registry: MetricRegistry, store: any ServiceStore, keyring: Keyring,
    webhooks: WebhookAdministration, service: SignUpService, logger: Logger
  ) throws {
    self.address = address
    self.logger = logger
    isSecure = identity != nil
    let policy = OperatorResponsePolicy(wording: .english)
    daemon = try Daemon(try Self.options(address, settings, identity, policy, logger))
    var dependencies = OperatorDependencies(
      keys: store, list: store, outbox: store.outbox, registry: registry, keyring: keyring,
      shared: OperatorDependencies.SharedResponses(
        live: service.live, ready: service.ready, obstacle: service.obstacle),
      responsePolicy: policy,
      scheduler: daemon.scheduler, logger: logger)
    dependencies.webhooks = webhooks
    dependencies.metricsAccess = settings.metricsAccess
    dependencies.fields = settings.fields
    dependencies.operatorURL = settings.operatorURL
    dependencies.listName = settings.listName ?? ""
    let operatorService = Operator(dependencies)
    for exchanges in daemon.exchanges { operatorService.serve(exchanges) }
    // Events are counted while the board may be looked at. A failure is repaired by the next count.
    tallying = Signal<Duration, Never>.interval(.seconds(1), on: daemon.scheduler)
      .exhaustMap { _ in store.countEvents().catch { _ in Signal<Int, Never>.empty } }
  }

  /// Enough for a thousand people with their consents.
  private static let maximumBodyBytes = 1 << 20

  static func options(
    _ address: ListenAddress, _ settings: Settings, _ identity: TLSIdentity?,
    _ policy: OperatorResponsePolicy, _ logger: Logger
  ) throws -> DaemonOptions {
    var options = DaemonOptions(logger: logger)
    options.endpoint = try address.endpoint()
    options.identity = identity
    options.loopCount = 1
    options.connections.maximum = settings.operatorMaxConnections
    // No client can use up all connections.
    options.connections.maximumPerClient = max(settings.operatorMaxConnections / 4, 1)
    options.streams.maximum = maximumStreams
    options.responsePolicy = policy
    options.requests.maximumBodyBytes = maximumBodyBytes
    options.route = Operator.pattern(of:)
    return options
  }

  /// Starts accepting connections, and logs the address.
  func start() throws(DaemonError) {
    try daemon.start()
    counting.replace(with: tallying.subscribe())
    let text = daemon.endpoint.text(isSecure: isSecure)
    logger.info("operator's listener started", metadata: ["address": "\(text)"])
    if !isSecure, address.isReachable {
      logger.warning(
        """
        --operator-listen serves plain HTTP beyond this machine, so keys can be read on the way: \
        set --tls-certificate, or listen on 127.0.0.1 or unix:PATH
        """
      )
    }
  }
}

extension OperatorListener {
  /// Ends counting and all connections.
  func stop() async {
    counting.dispose()
    await daemon.stop(drain: .zero)
  }
}

extension ListenAddress {
  /// - Throws: `SystemdSocketError` unless systemd has passed one socket.
  func endpoint() throws(SystemdSocketError) -> Endpoint {
    switch self {
    case .network(let address): .network(host: address.host.description, port: address.port)
    case .unix(let path): .unix(path: path)
    case .systemd: .inherited(descriptor: try SystemdSocket.descriptor())
    }
  }

  /// Whether other machines may reach the address.
  fileprivate var isReachable: Bool {
    if case .network(let address) = self { !address.host.isLoopback } else { false }
  }
}

extension Endpoint {
  func text(isSecure: Bool) -> String {
    if case .network = self { "\(isSecure ? "https" : "http")://\(self)" } else { description }
  }
}
