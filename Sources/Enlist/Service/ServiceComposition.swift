internal import Delivery
internal import FoundationEssentials
internal import Glibc
internal import Security
internal import HTTPSignals
internal import Logging
internal import MailingList
internal import Microhttpd
internal import Platform
internal import OperatorService
internal import SQLiteStorage
internal import Signals
internal import SubscribeService

/// The composition of the service's components, and their lifecycle, from opening the daemon to
/// closing the store.
struct ServiceComposition {
  let settings: Settings
  /// `nil` without TLS.
  let identity: TLSIdentity?
  let profile: ListProfile
  /// The delivery of mail; `nil` with single opt-in.
  let delivery: MailDelivery?
  /// The settings as the log shows them.
  let effective: [EffectiveSetting]
  /// Ends the service.
  let termination: Termination
  let logger: Logger

  /// Runs the service until the termination, then closes everything.
  func run() async throws {
    // Without the operator's listener, nothing is counted.
    let registry = settings.operatorListen.map { _ in MetricRegistry(MetricTable.definitions) }
    // The registry reads the daemon and the store, which retain it.
    defer { registry?.stopObserving() }
    let policy = ServiceResponsePolicy(
      allowedOrigins: settings.allowedOrigins, publicOrigin: settings.publicURL, profile: profile,
      metrics: registry, logger: logger)
    // Create the mailer before the threads of the daemon, because the first one initializes
    // libcurl.
    let mailer = delivery?.makeMailer()
    let webhookClient = try settings.webhookClient()
    let daemon = try Daemon(try daemonOptions(policy, registry))
    let (store, keyring) = try await StartupWait.run(until: termination, logger: logger) {
      [settings, logger, optIn] in
      try openStore(settings, optIn, deliverOn: daemon.scheduler, metrics: registry, logger: logger)
    }
    let keys = MailKeys(keyring)
    let mail = mailService(mailer, store.outbox, keys, registry)
    let webhooks = WebhookService(webhookClient, store, keyring, metrics: registry, logger: logger)
    let service = SubscribeRoutes(try dependencies(store, policy, keys, registry))
    for exchanges in daemon.exchanges { service.serve(exchanges) }
    let operatorListener = try operatorListener(
      registry, store, keyring, service,
      WebhookAdministration(store, webhookClient, settings.webhookTargets, WebhookSecrets(keyring)))
    let certificate = CertificateClock()
    registry?.observeProcess()
    registry?.observe(daemon, certificate: certificate)
    if let mail {
      registry?.observe("enlist_relay_paused") { mail.isPaused ? 1 : 0 }
      registry?.observe("enlist_mail_strain") { mail.strain }
    }
    // Observe SIGHUP before clients and systemd can know that the service has started.
    let (hangups, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let reloading = Signal.unixSignal(SIGHUP).subscribe(next: { _ in continuation.yield() })
    defer { reloading.dispose() }
    try daemon.start()
    mail?.start()
    webhooks.start()
    try reportStart(daemon.endpoint)
    try operatorListener?.start()
    let notifier = SystemdNotifier(environment: ProcessInfo.processInfo.environment)
    notifier?.send(.ready)
    let upkeep = CertificateUpkeep(
      of: [daemon, operatorListener?.daemon].compactMap(\.self), identity: identity,
      clock: certificate, settings: settings, notifier: notifier, logger: logger)
    let upkeepTask = Task { await upkeep.run(reloadAt: hangups) }
    defer { upkeepTask.cancel() }

    _ = await termination.signal.first()
    logger.info("stopping", metadata: ["drain": "\(settings.drain)"])
    upkeepTask.cancel()
    notifier?.send(.stopping)
    // The order matters: stop accepting sign-ups and claiming mails, then end open streams and
    // connections, then store the queued sign-ups and the results of mails, and close the store
    // last, when no component uses it any longer.
    service.commands.isEnabled.value = false
    mail?.drain(within: Self.mailDrain(settings.drain))
    webhooks.drain(within: Self.mailDrain(settings.drain))
    let deadline = ContinuousClock.now + settings.drain
    await withTaskGroup(of: Void.self) { group in
      await daemon.stop(drain: settings.drain) {
        let areKnown = await finishSignUps(in: store, by: deadline)
        // The store reports results on the daemon's loops, so mails end before them.
        if let mail { await close(mail, by: deadline) }
        _ = await webhooks.end.ends(by: deadline)
        webhooks.close()
        // Until here the operator's listener reports that the service drains. It ends together with
        // the loops, because its clients may also read slowly.
        if let operatorListener {
          group.addTask { await operatorListener.stop() }
        }
        return areKnown
      }
    }
    // The daemon waits up to two seconds for clients to read the last responses.
    let closing = deadline + .milliseconds(2800)
    if await store.close().ends(by: closing) {
      logger.info("stopped")
      try await reportDamage(of: store)
    } else {
      logger.warning(
        "stopped before the database was closed; the next start recovers its write-ahead log")
    }
  }

  /// Reports that the closed store has left a damaged file.
  private func reportDamage(of store: any SubscriberStore) async throws(StoreOpeningError) {
    do throws(StoreError) {
      _ = try await store.probe().last()
    } catch {
      guard error == .damaged, case .sqlite(let path) = settings.database else { return }
      throw .damaged(
        path: path,
        reason: "it was changed while the service was running; restore a backup (enlist restore)")
    }
  }

  private var optIn: OptIn { delivery == nil ? .single : .double }

  private func mailService(
    _ mailer: (any Mailer)?, _ outbox: any Outbox, _ keys: MailKeys, _ metrics: MetricRegistry?
  ) -> MailService? {
    guard let delivery, let mailer else { return nil }
    return MailService(
      delivery, mailer, outbox, keys, metrics: metrics, database: "\(settings.database)",
      logger: logger)
  }

  private func operatorListener(
    _ registry: MetricRegistry?, _ store: any ServiceStore, _ keyring: Keyring,
    _ service: SubscribeRoutes, _ webhooks: WebhookAdministration
  ) throws(DaemonError) -> OperatorListener? {
    guard let address = settings.operatorListen, let registry else { return nil }
    return try OperatorListener(
      at: address, settings, identity: identity, registry: registry, store: store, keyring: keyring,
      webhooks: webhooks, service: service, logger: logger)
  }

  /// Returns the time limit for conversations with the relay while the service drains.
  ///
  /// The limit is slightly less than the drain time, after which the store accepts no results.
  private static func mailDrain(_ drain: Duration) -> Duration {
    max(drain - .milliseconds(500), drain / 2)
  }

  /// Waits until the results of mails are stored, then closes the connections to the relay.
  private func close(_ mail: MailService, by deadline: ContinuousClock.Instant) async {
    if await !mail.end.ends(by: deadline) {
      logger.warning("stopped before the results of all mails were stored; they may be sent twice")
    }
    // A canceled conversation ends within a second.
    _ = await mail.close().ends(by: max(deadline, .now + .seconds(1)))
  }

  /// Finishes the sign-ups that are waiting to be stored.
  ///
  /// Returns whether each of them has an outcome; if not, the disk does not respond.
  private func finishSignUps(
    in store: any SubscriberStore, by deadline: ContinuousClock.Instant
  ) async -> Bool {
    let time = max(deadline - .now, .zero)
    return await store.finish(within: time).ends(by: .now + time + .milliseconds(300))
  }

  private func deliverability() throws(DNSResolverError) -> DeliverabilityCheck? {
    switch settings.checkDeliverability {
    case .on: DeliverabilityCheck(try DNSResolver(server: settings.dnsServer))
    case .off: nil
    }
  }

  private func daemonOptions(
    _ policy: ServiceResponsePolicy, _ metrics: MetricRegistry?
  ) throws(SystemdSocketError) -> DaemonOptions {
    var options = DaemonOptions(logger: logger)
    switch settings.listen {
    case .network(let address):
      options.endpoint = .network(host: address.host.description, port: address.port)
    case .unix(let path):
      options.endpoint = .unix(path: path)
    case .systemd:
      let environment = ProcessInfo.processInfo.environment
      options.endpoint = .inherited(
        descriptor: try SystemdSocket.descriptor(environment: environment))
    }
    options.identity = identity
    options.loopCount = settings.threads
    options.connections.maximum = settings.maxConnections
    options.connections.maximumPerClient = settings.maxConnectionsPerClient
    options.connections.rate = settings.connectionRate
    options.requests.maximumBodyMemoryBytes = settings.bodyMemory.bytes
    options.streams.maximum = settings.maxStreams
    options.connections.requestTimeout = settings.requestTimeout
    options.requests.maximumBodyBytes = settings.maxBody.bytes
    options.trustedProxies = TrustedProxies(settings.trustedProxies)
    options.streams.maximumPerClient = settings.maxStreamsPerClient
    options.streams.heartbeat = settings.heartbeat
    options.streams.lifetime = settings.streamLifetime
    options.streams.stall = settings.streamStall
    options.responsePolicy = policy
    options.metrics = DaemonMetrics(metrics)
    options.route = SubscribeRoutes.pattern(matching:)
    return options
  }

  private func dependencies(
    _ store: any SubscriberStore, _ policy: ServiceResponsePolicy, _ keys: MailKeys,
    _ metrics: MetricRegistry?
  ) throws(DNSResolverError) -> Dependencies {
    var dependencies = Dependencies(store: store, responsePolicy: policy, logger: logger)
    dependencies.metrics = metrics
    dependencies.database = "\(settings.database)"
    dependencies.emailLevel = settings.emailLevel
    dependencies.commandScope = settings.commandScope
    dependencies.deliverability = try deliverability()
    dependencies.signUpRate = settings.signupRate
    dependencies.checkRate = settings.checkRate
    dependencies.streamRate = settings.streamRate
    dependencies.streamHistory = settings.streamHistory
    dependencies.executionHistory = settings.executionHistory
    dependencies.isStatusStreamPublic = settings.statusStream == .public
    dependencies.consentAddress = settings.consentAddress
    dependencies.sendsCode = settings.confirmCode == .on
    dependencies.sendsConfirmedEvent = settings.confirmedEvent == .on
    dependencies.optIn = optIn
    dependencies.mailKeys = keys
    return dependencies
  }

  /// Prints the address on standard output, as its only line, and logs the settings.
  private func reportStart(_ endpoint: Endpoint) throws(OutputError) {
    let address =
      switch endpoint {
      case .network: "\(identity == nil ? "http" : "https")://\(endpoint)"
      case .unix, .inherited: endpoint.description
      }
    try OutputStream.standardOutput.write(line: "listening on \(address)")
    logger.info("started", metadata: settings.startupMetadata(address: address))
    logger.log(effective)
  }
}

extension Signal where Value == Never, Failure == Never {
  /// Waits for the end of the signal, up to a deadline, but at least 100 ms.
  fileprivate func ends(by deadline: ContinuousClock.Instant) async -> Bool {
    let time = max(deadline - .now, .milliseconds(100))
    do throws(TimeoutError) {
      let limited = promoteError(to: TimeoutError.self)
        .timeout(after: time, on: QueueScheduler.background, with: TimeoutError())
      _ = try await limited.last()
      return true
    } catch {
      return false
    }
  }
}

/// The deadline has passed.
private struct TimeoutError: Error {}
