package import HTTPSignals
package import MailingList
internal import Security
package import Signals

/// The service that visitors use: what lives as long as it, and the handlers of its requests.
///
/// A handler is a method that responds, now or later, or throws a problem, which becomes the
/// response. It is called on the event loop of its request, so it must not block.
package final class SignUpService: Sendable {
  let dependencies: Dependencies
  let pages: Pages
  let files: PageFiles
  let origins: OriginPolicy
  /// The commands that add sign-ups to the list.
  package let commands: SubscribeCommands
  let executions: ExecutionDirectory
  let confirmations: ConfirmationWatch
  let status: StatusSource
  let storage: StorageHealth
  /// Limits sign-ups, and requests for a new link as well.
  let signUpLimiter: ClientRateLimiter
  let checkLimiter: ClientRateLimiter
  let streamLimiter: ClientRateLimiter
  let replayLimit: ReplayLimit
  /// The attempts at the code of each execution, as many as those at each mail, which the store
  /// counts.
  ///
  /// An attempt is remembered for as long as an execution is known.
  let codeTries = Lock(
    LeakyBucketTable(
      count: ConfirmationLimits.codeTries, per: ExecutionID.lifetime * ConfirmationLimits.codeTries)
  )
  let drainingSince = Lock<Timestamp?>(nil)

  package init(_ dependencies: Dependencies) {
    self.dependencies = dependencies
    pages = dependencies.responsePolicy.pages
    files = PageFiles(pages)
    origins = dependencies.responsePolicy.origins
    let now = dependencies.now
    executions = ExecutionDirectory(history: dependencies.executionHistory, now: now)
    // The directory comes first: a client that learns of an execution from a response or from the
    // stream can then request it, and gets at least that state.
    commands = SubscribeCommands(
      store: dependencies.store, scope: dependencies.commandScope,
      deliverability: dependencies.deliverability,
      metrics: ExecutionMetrics(dependencies.metrics), now: now, recordingWith: executions.record)
    status = StatusSource(
      dependencies.store, history: dependencies.streamHistory, events: commands.statusEvents)
    confirmations = ConfirmationWatch(store: dependencies.store, now: dependencies.now)
    storage = StorageHealth(
      dependencies.logger, database: dependencies.database, metrics: dependencies.metrics)
    signUpLimiter = ClientRateLimiter(rate: dependencies.signUpRate)
    checkLimiter = ClientRateLimiter(rate: dependencies.checkRate)
    streamLimiter = ClientRateLimiter(rate: dependencies.streamRate)
    replayLimit = ReplayLimit(
      history: dependencies.streamHistory, streamRate: dependencies.streamRate, now: now)
    dependencies.store.failure.subscribe(failed: { [storage] in storage.failed($0) })
    commands.isEnabled.signal.subscribe(next: { [weak self] isEnabled in
      self?.drainingSince.withLock { $0 = isEnabled ? nil : now() }
    })
  }

  /// Serves the exchanges of one event loop; call this once for each loop.
  package func serve(_ exchanges: Signal<Exchange, Never>) {
    // Made once: a handler for each request would be an allocation.
    let handlers = Self.rows.map { $0.handler(self) }
    exchanges.filter { [origins] in origins.admits($0) }.subscribe(next: { exchange in
      guard let (index, routed) = Self.routes.find(exchange) else { return }
      do throws(ProblemDetails) {
        try handlers[index](routed)
      } catch {
        exchange.respond(error)
      }
    })
  }

  // MARK: What several handlers need

  /// The keys of links and codes with double opt-in; `nil` in a service without mail.
  var optInKeys: MailKeys? { pages.nextStep == .none ? nil : dependencies.mailKeys }

  func texts(of request: Request) -> Texts { pages.texts.preferred(by: request) }

  /// Reads the list; a failure is counted, and becomes its problem.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (ListReader) throws(StoreError) -> Value
  ) -> Signal<Value, ProblemDetails> {
    counted(dependencies.store.read(body))
  }

  /// Returns a signal whose failures to read are counted, and become their problems.
  func counted<Value>(_ reading: Signal<Value, StoreError>) -> Signal<Value, ProblemDetails> {
    reading.mapError { [storage] error in
      storage.readingFailed(error)
      return error.problem
    }
  }

  /// Changes the list, which decides whether the service is ready; a failure becomes its problem.
  func change<Value: Sendable>(
    _ body: @escaping @Sendable (ListWriter) throws(StoreError) -> Value
  ) -> Signal<Value, ProblemDetails> {
    dependencies.store.change(body).do(next: { [storage] _ in storage.succeeded() })
      .mapError { [storage] error in
        storage.failed(error)
        return error.problem
      }
  }
}

extension Exchange {
  /// Responds with what a signal sends, or with the problem with which it fails.
  func respond(with response: Signal<Response, ProblemDetails>) {
    response.subscribe(next: { self.respond($0) }, failed: { self.respond($0) })
  }
}
