internal import Delivery
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
  /// The daemon, which has not been started.
  let daemon: Daemon

  /// Counts events as long as it is observed.
  private let tallying: Signal<Int, Never>
  private let counting = SerialDisposable()
  private let address: SocketAddress
  private let isSecure: Bool
  private let logger: Logger

  /// - Throws: `DaemonError` if the address cannot be bound.
  init(
    at address: SocketAddress, _ settings: Settings, identity: TLSIdentity?,
    store: any ListStore, mail: MailService?, webhooks: WebhookClient,
    service: SignUpService, logger: Logger
  ) throws {
    self.address = address
    self.logger = logger
    isSecure = identity != nil
    daemon = try Daemon(Self.options(address, settings, identity, logger))
    var options = Operator.Settings()
    options.metricsAccess = settings.metricsAccess
    options.fields = settings.fields
    options.url = settings.operatorURL
    options.listName = settings.listName ?? ""
    if let mail { options.isMailPaused = { mail.isPaused } }
    let operatorService = Operator(
      beside: service, webhooks: webhooks, on: daemon.scheduler, options)
    for exchanges in daemon.exchanges { operatorService.serve(exchanges) }
    // Events are counted while the board may be looked at. A failure is repaired by the next count.
    tallying = Signal<Duration, Never>.interval(.seconds(1), on: daemon.scheduler)
      .exhaustMap { _ in store.countEvents().catch { _ in Signal<Int, Never>.empty } }
  }

  static func options(
    _ address: SocketAddress, _ settings: Settings, _ identity: TLSIdentity?, _ logger: Logger
  ) -> DaemonOptions {
    var options = DaemonOptions(logger: logger, responsePolicy: OperatorResponsePolicy())
    options.endpoint = .address(address)
    options.identity = identity
    options.loopCount = 1
    options.connections.maximum = settings.operatorMaxConnections
    // No client can use up all connections.
    options.connections.maximumPerClient = max(settings.operatorMaxConnections / 4, 1)
    options.streams.maximum = 64
    // Enough for a thousand people with their consents.
    options.requests.maximumBodyBytes = 1 << 20
    options.route = Operator.pattern(of:)
    return options
  }

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
        """)
    }
  }

  func stop() async {
    counting.dispose()
    await daemon.stop(drain: .zero)
  }
}

extension SocketAddress {
  /// Whether other machines may reach the address.
  fileprivate var isReachable: Bool {
    if case .network(let address) = self { !address.host.isLoopback } else { false }
  }
}

extension Endpoint {
  func text(isSecure: Bool) -> String {
    guard case .address(.network) = self else { return description }
    return "\(isSecure ? "https" : "http")://\(self)"
  }
}
