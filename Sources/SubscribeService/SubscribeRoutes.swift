internal import HTTPTypes
package import HTTPSignals
internal import MailingList
package import Signals

/// The service: its routes, their handlers, and the status messages.
package final class SubscribeRoutes: Sendable {
  private let gate: RequestGate
  private let signUp: SignUpController
  private let emailCheck: EmailCheckController
  private let execution: ExecutionController
  private let page: PageController
  private let origins: OriginPolicy
  private let status: StatusController
  private let command: CommandController
  private let health: HealthController

  /// Creates the service.
  ///
  /// - Parameter dependencies: What the service is given.
  package init(_ dependencies: Dependencies) {
    let directory = ExecutionDirectory(
      history: dependencies.executionHistory,
      now: dependencies.now
    )
    let log = StatusLog(capacity: dependencies.streamHistory)
    // The directory comes first: a client that learns of an execution from a response or from the
    // stream can then request it, and gets at least that state.
    dependencies.commands.statusFeed.record(with: directory.record)
    dependencies.commands.statusFeed.events.subscribe(next: log.append)
    let pages = dependencies.responsePolicy.pages
    origins = dependencies.responsePolicy.origins
    gate = RequestGate(publicOrigin: origins.publicOrigin, logger: dependencies.logger)
    let streamRate = StreamRateGate(rate: dependencies.streamRate, now: dependencies.now)
    let storage = StorageHealth(dependencies.logger)
    signUp = SignUpController(
      dependencies,
      pages: pages,
      origins: origins,
      storage: storage
    )
    page = PageController(pages: pages)
    emailCheck = EmailCheckController(dependencies, origins: origins)
    execution = ExecutionController(
      directory: directory,
      store: dependencies.store,
      thanks: pages.thanks,
      streamRate: streamRate
    )
    status = StatusController(
      log: log,
      isPublic: dependencies.isStatusStreamPublic,
      streamRate: streamRate
    )
    command = CommandController(commands: dependencies.commands, directory: directory)
    health = HealthController(
      commands: dependencies.commands,
      store: dependencies.store,
      storage: storage
    )
  }

  /// Serves the exchanges of an event loop.
  ///
  /// - Parameter exchanges: The exchanges of one event loop; call this once for each loop.
  package func serve(_ exchanges: Signal<Exchange, Never>) {
    let router = Router()
    router.route(.post, "/subscribers").subscribe(next: signUp.handle)
    router.route(.post, "/email-checks").subscribe(next: emailCheck.check)
    router.route(.get, "/executions/{id}").subscribe(next: execution.show)
    router.route(.get, "/executions/{id}/events").subscribe(next: execution.stream)
    router.route(.get, "/status").subscribe(next: status.stream)
    router.route(.get, "/commands/subscribe").subscribe(next: command.show)
    router.route(.get, "/").subscribe(next: page.show)
    router.route(.get, "/thanks/{id}").subscribe(next: execution.thank)
    router.route(.get, "/problems/{name}").subscribe(next: page.explain)
    for path in Pages.assets.keys { router.route(.get, path).subscribe(next: page.file) }
    let shared: [(HTTPRequest.Method, String)] = [
      (.post, "/subscribers"), (.post, "/email-checks"), (.get, "/executions/{id}"),
      (.get, "/executions/{id}/events"), (.get, "/status"),
    ]
    for (method, path) in shared {
      router.route(.options, path)
        .subscribe(next: { [origins] in origins.respondToOptions($0.exchange, of: method) })
    }
    router.route(.get, "/livez").subscribe(next: health.live)
    router.route(.get, "/readyz").subscribe(next: health.ready)
    router.connect(to: exchanges.filter { [gate] in gate.admits($0) })
  }
}
