internal import Delivery
internal import FoundationEssentials
internal import Glibc
internal import HTTPSignals
internal import Logging
internal import MailingList
internal import Microhttpd
internal import Services
internal import Platform
internal import SQLiteStorage
internal import Security
internal import Signals

/// The service: its parts, the order in which they start, and the order in which they end.
struct Service {
  let plan: ServicePlan
  let logger: Logger
  private var settings: Settings { plan.settings }

  func run() async throws {
    ThisProcess.ignoreStraySignals()
    let termination = Self.termination()
    let registry = MetricRegistry(MetricTable.definitions)
    // The registry reads the daemon and the store, which retain it.
    defer { registry.stopObserving() }

    // The parts. The mailer comes before all threads, because the first one initializes libcurl.
    let policy = ServiceResponsePolicy(
      allowedOrigins: settings.allowedOrigins, publicOrigin: settings.publicURL,
      profile: plan.profile,
      nextStep: NextStep(plan.delivery == nil ? .single : .double, sendsCode: settings.confirmCode),
      metrics: registry, logger: logger)
    let mailing = plan.delivery.map { ($0, $0.makeMailer()) }
    let webhookClient = try settings.webhookClient()
    let daemon = try Daemon(daemonOptions(policy, registry))
    let store = try await open(until: termination, on: daemon.scheduler, registry)
    let keys = MailKeys(store.keyring)
    let mail = mailing.map {
      MailService($0, $1, store.outbox, keys, registry, "\(settings.database)", logger)
    }
    let webhooks = WebhookService(webhookClient, store, registry, logger)
    let service = SignUpService(try dependencies(store, policy, keys, registry))
    for exchanges in daemon.exchanges { service.serve(exchanges) }
    let operatorListener = try settings.operatorListen.map { address in
      try OperatorListener(
        at: address, settings, identity: plan.identity, store: store, mail: mail,
        webhooks: webhookClient, service: service, logger: logger)
    }
    let notifier = SystemdNotifier(environment: ProcessInfo.processInfo.environment)
    let certificate = Certificate(
      plan.identity, of: [daemon, operatorListener?.daemon].compactMap(\.self), settings, notifier,
      logger)
    Self.observe(daemon, certificate, mail, by: registry)

    // Start. What may fail comes before what accepts sign-ups and claims mails; connections wait in
    // the socket until then. SIGHUP is observed before anyone can know that the service has started.
    let upkeep = certificate.upkeep()
    defer { upkeep.cancel() }
    try report(daemon.endpoint)
    try operatorListener?.start()
    mail?.start()
    webhooks.start()
    // Some of the event loops may run when another cannot, so the service stops in order, too.
    let started = Result { () throws(DaemonError) in try daemon.start() }
    if case .success = started {
      notifier?.send(.ready)
      _ = await termination.first()
    }

    // Stop accepting sign-ups and claiming mails, then end open streams and connections, then store
    // the queued sign-ups and the results of mails, and close the store last, when no part uses it.
    logger.info("stopping", metadata: ["drain": "\(DurationText.text(of: settings.drain))"])
    upkeep.cancel()
    notifier?.send(.stopping)
    service.commands.isEnabled.value = false
    // A little less than the drain, after which the store accepts no results.
    let conversations = max(settings.drain - .milliseconds(500), settings.drain / 2)
    mail?.relay.drain(within: conversations)
    webhooks.relay.drain(within: conversations)
    let deadline = ContinuousClock.now + settings.drain
    await withTaskGroup(of: Void.self) { group in
      await daemon.stop(drain: settings.drain) {
        let left = max(deadline - .now, .zero)
        let areKnown = await store.finish(within: left).ends(by: .now + left + .milliseconds(300))
        // The store reports results on the daemon's loops, so mails end before them.
        if let mail {
          if await !mail.relay.end.ends(by: deadline) {
            logger.warning(
              "stopped before the results of all mails were stored; they may be sent twice")
          }
          // A canceled conversation ends within a second.
          _ = await mail.close().ends(by: max(deadline, .now + .seconds(1)))
        }
        _ = await webhooks.relay.end.ends(by: deadline)
        webhooks.close()
        // Until here the operator's listener reports that the service drains.
        if let operatorListener { group.addTask { await operatorListener.stop() } }
        return areKnown
      }
    }
    // The daemon waits up to two seconds for clients to read the last responses.
    if await store.close().ends(by: deadline + .milliseconds(2800)) {
      logger.info("stopped")
      try await reportDamage(of: store)
    } else {
      logger.warning(
        "stopped before the database was closed; the next start recovers its write-ahead log")
    }
    try started.get()
  }

  /// The first SIGTERM or SIGINT, also for observers that come later; neither ends the process.
  private static func termination() -> Signal<Int32, Never> {
    let received = ReplaySubject<Int32, Never>(capacity: 1)
    Signal.merge(.unixSignal(SIGTERM), .unixSignal(SIGINT)).subscribe(next: { received.send($0) })
    return received.signal.take(1)
  }

  /// Opens the store on a thread of its own, while which a signal ends the process at once: a
  /// look-up of a host, for example, cannot be interrupted.
  private func open(
    until termination: Signal<Int32, Never>, on scheduler: any Scheduler,
    _ registry: MetricRegistry
  ) async throws -> any ListStore {
    let interruption = termination.subscribe(next: { _ in
      logger.info("stopped before the database was open")
      // Not `exit`: handlers of libraries must not run while the thread is running.
      LogOutput.standardError.flush()
      _exit(0)
    })
    defer { interruption.dispose() }
    let optIn: OptIn = plan.delivery == nil ? .single : .double
    return try await withCheckedThrowingContinuation { continuation in
      let open: @Sendable () -> Void = { [settings, logger] in
        continuation.resume(
          with: Result {
            try openStore(settings, optIn, deliverOn: scheduler, metrics: registry, logger: logger)
          }
        )
      }
      // If the system has no thread left, the store opens here, and a signal waits for it.
      if !NamedThread.start("store-opening", open) { open() }
    }
  }

  private func daemonOptions(
    _ policy: ServiceResponsePolicy, _ metrics: MetricRegistry
  ) throws(Failure) -> DaemonOptions {
    var options = DaemonOptions(logger: logger, responsePolicy: policy)
    switch settings.listen {
    case let address?: options.endpoint = .address(address)
    case nil: options.endpoint = .inherited(descriptor: try systemdSocket())
    }
    options.identity = plan.identity
    options.loopCount = settings.threads
    options.connections.maximum = settings.maxConnections
    options.connections.maximumPerClient = settings.maxConnectionsPerClient
    options.connections.rate = settings.connectionRate
    options.connections.requestTimeout = settings.requestTimeout
    options.requests.maximumBodyBytes = settings.maxBody
    options.requests.maximumBodyMemoryBytes = settings.bodyMemory
    options.streams.maximum = settings.maxStreams
    options.streams.maximumPerClient = settings.maxStreamsPerClient
    options.streams.heartbeat = settings.heartbeat
    options.streams.lifetime = settings.streamLifetime
    options.streams.stall = settings.streamStall
    options.trustedProxies = TrustedProxies(settings.trustedProxies)
    options.metrics = DaemonMetrics(metrics)
    options.route = SignUpService.pattern(of:)
    return options
  }

  private func dependencies(
    _ store: any ListStore, _ policy: ServiceResponsePolicy, _ keys: MailKeys,
    _ metrics: MetricRegistry
  ) throws(DNSResolverError) -> Dependencies {
    var dependencies = Dependencies(store: store, responsePolicy: policy, logger: logger)
    dependencies.metrics = metrics
    dependencies.database = "\(settings.database)"
    dependencies.emailLevel = settings.emailLevel
    dependencies.commandScope = settings.commandScope
    if settings.checkDeliverability {
      dependencies.deliverability = DeliverabilityCheck(
        try DNSResolver(server: settings.dnsServer).lookUp)
    }
    dependencies.signUpRate = settings.signupRate
    dependencies.checkRate = settings.checkRate
    dependencies.streamRate = settings.streamRate
    dependencies.streamHistory = settings.streamHistory
    dependencies.executionHistory = settings.executionHistory
    dependencies.isStatusStreamPublic = settings.statusStream
    dependencies.consentAddress = settings.consentAddress
    dependencies.sendsConfirmedEvent = settings.confirmedEvent
    dependencies.mailKeys = keys
    return dependencies
  }

  /// Adds the values that are read for each scrape.
  private static func observe(
    _ daemon: Daemon, _ certificate: Certificate, _ mail: MailService?, by registry: MetricRegistry
  ) {
    let start = ThisProcess.start
    registry.observe("enlist_build_info", [.init("version", EnlistCommand.versionNumber)]) { 1 }
    registry.observe("enlist_log_lines_dropped_total") {
      Double(LogOutput.standardError.droppedLineCount)
    }
    registry.observe("process_open_fds") { ThisProcess.openDescriptors.map(Double.init) }
    registry.observe("process_max_fds") { ThisProcess.maximumDescriptors.map(Double.init) }
    registry.observe("process_resident_memory_bytes") { ThisProcess.residentBytes.map(Double.init) }
    registry.observe("process_cpu_seconds_total") { ThisProcess.processorSeconds }
    registry.observe("process_start_time_seconds") { start }
    registry.observe("enlist_connections") { Double(daemon.connectionCount) }
    registry.observe("enlist_streams") { Double(daemon.streamCount) }
    registry.observe("enlist_certificate_seconds") { certificate.secondsLeft }
    guard let mail else { return }
    registry.observe("enlist_relay_paused") { mail.isPaused ? 1 : 0 }
    registry.observe("enlist_mail_strain") { mail.strain }
  }

  /// Prints the address on standard output, as its only line, and logs the settings.
  private func report(_ endpoint: Endpoint) throws(OutputError) {
    let address = endpoint.text(isSecure: plan.identity != nil)
    let line = "listening on \(address)"
    switch settings.logFormat {
    case .text: try OutputStream.standardOutput.write(line: line)
    case .json:
      // Collectors read this line like those of the log.
      let handler = LineLogHandler(label: "enlist", level: .info, format: .json) { _ in }
      try OutputStream.standardOutput.write(line: handler.line(.info, "\(line)"))
    }
    let (optIn, reason) = settings.effectiveOptIn
    logger.info(
      "started",
      metadata: [
        "version": "\(EnlistCommand.versionNumber)",
        "address": "\(address)",
        "database": "\(URLPassword.hidden(in: settings.database.description))",
        "opt-in": "\(optIn.rawValue)",
        "opt-in-reason": "\(reason)",
      ]
    )
    let lines = Dictionary(grouping: settings.lines) { $0.source != nil }
    func metadata(_ isSet: Bool) -> Logger.Metadata {
      Dictionary(uniqueKeysWithValues: (lines[isSet] ?? []).map { ($0.name, "\($0.text)") })
    }
    if lines[true] != nil { logger.info("settings", metadata: metadata(true)) }
    logger.debug("settings that are not set", metadata: metadata(false))
  }

  /// Reports that the closed store has left a damaged file.
  private func reportDamage(of store: any ListStore) async throws(StoreOpeningError) {
    do throws(StoreError) {
      _ = try await store.probe().last()
    } catch {
      guard error == .damaged, case .sqlite(let path) = settings.database else { return }
      throw .damaged(
        path: path,
        reason: "it was changed while the service was running; restore a backup (enlist restore)")
    }
  }
}

extension Signal where Value == Never, Failure == Never {
  /// Waits for the end of the signal, up to a deadline, but at least 100 ms.
  fileprivate func ends(by deadline: ContinuousClock.Instant) async -> Bool {
    do throws(TimeoutError) {
      _ = try await promoteError(to: TimeoutError.self)
        .timeout(
          after: max(deadline - .now, .milliseconds(100)), on: QueueScheduler.background,
          with: TimeoutError()
        ).last()
      return true
    } catch {
      return false
    }
  }
}

private struct TimeoutError: Error {}
