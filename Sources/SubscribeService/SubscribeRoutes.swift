package import Platform
internal import CResources
internal import HTTPTypes
package import HTTPSignals
package import Logging
package import MailingList
package import Signals

/// The service: its routes, their handlers, the commands, and the status messages.
package final class SubscribeRoutes: Sendable {
  /// The commands that add sign-ups to the list.
  package let commands: SubscribeCommands

  private let gate: RequestGate
  fileprivate let signUp: SignUpController
  fileprivate let emailCheck: EmailCheckController
  fileprivate let execution: ExecutionController
  fileprivate let page: PageController
  fileprivate let origins: OriginPolicy
  fileprivate let status: StatusController
  fileprivate let command: CommandController
  fileprivate let health: HealthController
  fileprivate let confirm: ConfirmController
  fileprivate let leave: LeaveController
  fileprivate let code: CodeController
  fileprivate let description = DescriptionController()

  package init(_ dependencies: Dependencies) {
    let directory = ExecutionDirectory(
      history: dependencies.executionHistory, now: dependencies.now)
    // The directory comes first: a client that learns of an execution from a response or from the
    // stream can then request it, and gets at least that state.
    let statusFeed = StatusFeed(
      recordingWith: directory.record, metrics: ExecutionMetrics(dependencies.metrics))
    commands = SubscribeCommands(
      store: dependencies.store, statusFeed: statusFeed, scope: dependencies.commandScope,
      deliverability: dependencies.deliverability, now: dependencies.now)
    let pages = Pages(
      texts: dependencies.responsePolicy.pages.texts,
      frame: dependencies.responsePolicy.pages.frame,
      nextStep: NextStep(dependencies.optIn, sendsCode: dependencies.sendsCode),
      credentialPaths: dependencies.responsePolicy.pages.credentialPaths,
      metrics: dependencies.responsePolicy.pages.metrics)
    origins = dependencies.responsePolicy.origins
    gate = RequestGate(
      publicOrigin: origins.publicOrigin, everyHost: Self.paths(for: .everyHost),
      logger: dependencies.logger)
    let streamLimiter = ClientRateLimiter(rate: dependencies.streamRate)
    let storage = StorageHealth(
      dependencies.logger, database: dependencies.database,
      metrics: StoreErrorMetrics(dependencies.metrics))
    dependencies.store.failure.subscribe(failed: { storage.failed($0) })
    let watch = ConfirmationWatch(store: dependencies.store)
    let signUpLimiter = ClientRateLimiter(rate: dependencies.signUpRate)
    signUp = SignUpController(
      dependencies, commands: commands, directory: directory, pages: pages, origins: origins,
      limiter: signUpLimiter, storage: storage)
    page = PageController(pages: pages)
    emailCheck = EmailCheckController(dependencies, origins: origins)
    execution = ExecutionController(
      directory: directory, store: dependencies.store, pages: pages,
      watch: dependencies.sendsConfirmedEvent && dependencies.optIn == .double ? watch : nil,
      streamLimiter: streamLimiter, storage: storage, now: dependencies.now)
    status = StatusController(
      source: StatusSource(
        dependencies.store, history: dependencies.streamHistory, feed: statusFeed),
      isPublic: dependencies.isStatusStreamPublic, streamLimiter: streamLimiter,
      replayLimit: ReplayLimit(
        history: dependencies.streamHistory, streamRate: dependencies.streamRate,
        now: dependencies.now), now: dependencies.now)
    command = CommandController(commands: commands, directory: directory)
    health = HealthController(
      commands: commands, store: dependencies.store, storage: storage, now: dependencies.now)
    let links = LinkResponses(dependencies, pages: pages, storage: storage)
    confirm = ConfirmController(
      links: links, origins: origins, watch: watch, limiter: signUpLimiter)
    leave = LeaveController(links: links)
    code = CodeController(
      dependencies, pages: pages, origins: origins, watch: watch, storage: storage)
  }

  /// Responds like `GET /livez`, for another listener.
  package var live: @Sendable (RoutedExchange) -> Void { health.live }

  /// Responds like `GET /readyz`, for another listener.
  package var ready: @Sendable (RoutedExchange) -> Void { health.ready }

  /// Sends the reason why the service is not ready; `nil` if it is.
  package var obstacle: @Sendable () -> Signal<ProblemDetails?, Never> { health.obstacle }

  /// Serves the exchanges of one event loop; call this once for each loop.
  package func serve(_ exchanges: Signal<Exchange, Never>) {
    // Made once: a handler for each request would be an allocation.
    let handlers = Self.rows.map { $0.handler(self) }
    exchanges.filter { [gate] in gate.admits($0) }.subscribe(next: { exchange in
      if let (index, routed) = Self.routes.find(exchange) { handlers[index](routed) }
    })
  }
}

extension SubscribeRoutes {
  /// All routes of the service.
  ///
  /// This table determines routing, responses to OPTIONS, the CORS header fields, the health checks
  /// that every host may request, the pages that do not reveal their URL, and the pages' files.
  static let table: [ServiceRoute] = [
    ServiceRoute(.post, "/subscribers", for: .allowedOrigins) { $0.signUp.handle },
    ServiceRoute(.post, "/email-checks", for: .allowedOrigins) { $0.emailCheck.check },
    ServiceRoute(.get, "/executions/{id}", for: .allowedOrigins) { $0.execution.show },
    ServiceRoute(.get, "/executions/{id}/events", for: .allowedOrigins) { $0.execution.stream },
    ServiceRoute(.post, "/executions/{id}/code", for: .allowedOrigins) { $0.code.confirm },
    ServiceRoute(.get, "/status", for: .allowedOrigins) { $0.status.stream },
    ServiceRoute(.get, "/commands/subscribe") { $0.command.show },
    ServiceRoute(.get, "/") { $0.page.show },
    ServiceRoute(.get, "/thanks/{id}") { $0.execution.thank },
    ServiceRoute(.get, "/confirm/{token}", for: .secretLink) { $0.confirm.show },
    ServiceRoute(.post, "/confirm/{token}", for: .secretLink) { $0.confirm.confirm },
    ServiceRoute(.post, "/confirm/{token}/mail", for: .secretLink) { $0.confirm.renew },
    ServiceRoute(.get, "/unsubscribe/{token}", for: .secretLink) { $0.leave.show },
    ServiceRoute(.post, "/unsubscribe/{token}", for: .secretLink) { $0.leave.leave },
    ServiceRoute(.get, "/problems/{name}") { $0.page.explain },
    ServiceRoute(file: "/embed.js", resource_embed_js().bytes, mediaType: script),
    ServiceRoute(.get, "/embed.json") { $0.page.translate },
    ServiceRoute(file: "/code.js", resource_code_js().bytes, mediaType: script),
    ServiceRoute(.get, "/embed.css") { $0.page.embedStyle },
    ServiceRoute(.get, "/page.css") { $0.page.style },
    ServiceRoute(.get, "/logo") { $0.page.showLogo },
    ServiceRoute(file: "/icon.svg", resource_icon_svg().bytes, mediaType: "image/svg+xml"),
    ServiceRoute(.get, "/openapi.json") { $0.description.show },
    ServiceRoute(.get, "/livez", for: .everyHost) { $0.health.live },
    ServiceRoute(.get, "/readyz", for: .everyHost) { $0.health.ready },
  ]

  private static let script = "text/javascript; charset=utf-8"

  /// The table, and a route for the OPTIONS of each path that pages of allowed sites may use.
  private static let rows =
    table
    + table.filter { $0.access == .allowedOrigins }.map { route in
      ServiceRoute(.options, route.pattern, for: route.access) { service in
        { service.origins.respondToOptions($0.exchange, of: route.method) }
      }
    }

  private static let routes = Routes(rows)

  /// Returns the pattern of a path's route; `nil` if no route has the path.
  package static func pattern(of path: String) -> String? { routes.pattern(of: path) }

  /// Returns the paths of the routes with an access.
  fileprivate static func paths(for access: RouteAccess) -> PathSet {
    PathSet(table.filter { $0.access == access })
  }
}

extension ServiceResponsePolicy {
  /// Creates the policy of the service with these routes.
  ///
  /// - Parameter profile: The look and the words of the pages.
  package convenience init(
    allowedOrigins: AllowedOrigins, publicOrigin: WebOrigin?, profile: ListProfile = ListProfile(),
    metrics: MetricRegistry = MetricRegistry(),
    logger: Logger = Logger(label: "enlist", factory: { _ in SwiftLogNoOpLogHandler() })
  ) {
    self.init(
      allowedOrigins: allowedOrigins, publicOrigin: publicOrigin, profile: profile,
      sharedPaths: SubscribeRoutes.paths(for: .allowedOrigins),
      secretPaths: SubscribeRoutes.paths(for: .secretLink),
      credentialPaths: PathSet(SubscribeRoutes.table.filter { $0.pattern.contains("{") }),
      metrics: metrics, logger: logger)
  }
}
