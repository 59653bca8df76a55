internal import HTTPTypes
package import HTTPSignals
internal import MailingList
package import Signals

/// The service: routes, what answers them, and the status messages.
package final class SubscribeService: Sendable {
  private let gate: RequestGate
  private let subscribe: SubscribeController
  private let emailCheck: EmailCheckController
  private let execution: ExecutionController
  private let page: PageController
  private let pages: Pages
  private let origins: OriginPolicy
  private let status: StatusController
  private let command: CommandController
  private let health: HealthController

  /// Makes the service.
  ///
  /// - Parameter environment: All that it needs from outside.
  package init(_ environment: Environment) {
    let directory = ExecutionDirectory(
      history: environment.executionHistory,
      now: environment.now
    )
    let log = StatusLog(capacity: environment.streamHistory)
    // The directory first: who is told of an execution, by an answer or by the stream, can ask for
    // it, and is told its state of then.
    environment.commands.statusFeed.record(with: directory.record)
    environment.commands.statusFeed.events.subscribe(next: log.append)
    pages = Pages(allowedOrigins: environment.allowedOrigins)
    origins = OriginPolicy(
      allowed: environment.allowedOrigins,
      publicOrigin: environment.publicOrigin
    )
    gate = RequestGate(publicOrigin: environment.publicOrigin, logger: environment.logger)
    let streamRate = StreamRateGate(rate: environment.streamRate, now: environment.now)
    let storage = StorageWatch(environment.logger)
    subscribe = SubscribeController(
      environment,
      pages: pages,
      origins: origins,
      storage: storage
    )
    page = PageController(pages: pages)
    emailCheck = EmailCheckController(environment, origins: origins)
    execution = ExecutionController(
      directory: directory,
      store: environment.store,
      thanks: pages.thanks,
      streamRate: streamRate
    )
    status = StatusController(
      log: log,
      isPublic: environment.isStatusStreamPublic,
      streamRate: streamRate
    )
    command = CommandController(commands: environment.commands, directory: directory)
    health = HealthController(
      commands: environment.commands,
      store: environment.store,
      storage: storage
    )
  }

  /// Answers exchanges from now on.
  ///
  /// - Parameter exchanges: The requests of one event loop; each loop is served by itself.
  package func serve(_ exchanges: Signal<Exchange, Never>) {
    let router = Router()
    router.route(.post, "/subscribers").subscribe(next: subscribe.handle)
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
        .subscribe(next: { [origins] in origins.respondToOptions($0, of: method) })
    }
    router.route(.get, "/livez").subscribe(next: health.live)
    router.route(.get, "/readyz").subscribe(next: health.ready)
    router.connect(to: exchanges.filter { [gate] in gate.admits($0) })
  }
}
