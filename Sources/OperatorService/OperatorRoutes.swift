internal import Platform
internal import CResources
internal import HTTPTypes
package import HTTPSignals
package import MailingList
package import Signals

/// The operator's side of the service: its routes and their handlers.
package final class OperatorRoutes: Sendable {
  fileprivate let shared: OperatorDependencies.SharedResponses
  fileprivate let metrics: MetricsController
  fileprivate let problems: ProblemController
  fileprivate let subscribers: SubscribersController
  fileprivate let changes: ChangesController
  fileprivate let events: EventsController
  fileprivate let webhooks: WebhooksController
  fileprivate let board: BoardController
  private let gate: KeyGate
  private let access: OperatorDependencies.MetricsAccess

  package init(_ dependencies: OperatorDependencies) {
    shared = dependencies.shared
    problems = ProblemController(wording: dependencies.responsePolicy.wording)
    let counts = RecentCounts(dependencies)
    let backlog = RecentBacklog(dependencies.outbox.backlog(), now: dependencies.now)
    metrics = MetricsController(dependencies, counts: counts, backlog: backlog)
    subscribers = SubscribersController(dependencies)
    changes = ChangesController(dependencies)
    events = EventsController(dependencies)
    webhooks = WebhooksController(dependencies)
    gate = KeyGate(dependencies)
    board = BoardController(
      dependencies, gate: gate, reader: BoardReader(dependencies, counts: counts, backlog: backlog))
    access = dependencies.metricsAccess
  }

  /// Serves the exchanges of the operator's event loop; call this once.
  package func serve(_ exchanges: Signal<Exchange, Never>) {
    // Made once: a handler for each request would be an allocation.
    let handlers = Self.table.map { $0.handler(self) }
    exchanges.subscribe(next: { exchange in
      self.gate.logPreflight(exchange.request)
      guard let (index, routed) = Self.routes.find(exchange) else { return }
      self.respond(to: routed, for: Self.table[index].access, by: handlers[index])
    })
  }

  /// Lets a handler respond; only to a client with a key if the route has a scope.
  private func respond(
    to routed: RoutedExchange, for scopes: [KeyScope],
    by handler: @escaping @Sendable (RoutedExchange, EventActor) -> Void
  ) {
    guard let scope = scopes.first, scope != .metrics || access == .key else {
      return handler(routed, .system)
    }
    gate.authorize(routed.exchange, for: scopes) { key in handler(routed, .key(id: key)) }
  }
}

extension OperatorRoutes {
  /// The description of these routes (OpenAPI 3.1), which changes only with the program.
  static let description = Asset(
    resource_openapi_operator().bytes, mediaType: "application/json", maximumAge: 3600)

  /// All routes of the operator's listener.
  ///
  /// None of them is for pages of other origins, so `OPTIONS` gets 405 like any other missing
  /// method.
  static let table: [OperatorRoute] = [
    OperatorRoute(.get, "/metrics", for: .metrics) { $0.metrics.show },
    OperatorRoute(.get, "/api/counts", for: .read) { $0.subscribers.count },
    OperatorRoute(.get, "/api/subscribers", for: .read) { $0.subscribers.page },
    OperatorRoute(.post, "/api/subscribers", for: .add) { $0.changes.add },
    OperatorRoute(.get, "/api/subscribers/{id}", for: .read) { $0.subscribers.show },
    OperatorRoute(.delete, "/api/subscribers/{id}", for: .write) { $0.changes.erase },
    OperatorRoute(.get, "/api/subscribers/{id}/consents", for: .read) { $0.subscribers.consents },
    OperatorRoute(.put, "/api/subscribers/{id}/state", for: .write) { $0.changes.setState },
    OperatorRoute(.post, "/api/subscribers/{id}/confirmation", for: .write) {
      $0.changes.requestConfirmation
    },
    OperatorRoute(.post, "/api/lookups", for: .read) { $0.changes.lookUp },
    OperatorRoute(.post, "/api/feedback", for: .feedback) { $0.changes.report },
    OperatorRoute(.get, "/api/events", for: .events) { $0.events.page },
    OperatorRoute(.get, "/api/events/stream", for: .events) { $0.events.stream },
    OperatorRoute(.get, "/api/webhooks", for: .webhooks) { $0.webhooks.list },
    OperatorRoute(.post, "/api/webhooks", for: .webhooks, .events) { $0.webhooks.create },
    OperatorRoute(.get, "/api/webhooks/{id}", for: .webhooks) { $0.webhooks.show },
    OperatorRoute(.patch, "/api/webhooks/{id}", for: .webhooks, .events) {
      $0.webhooks.update
    },
    OperatorRoute(.delete, "/api/webhooks/{id}", for: .webhooks, .events) {
      $0.webhooks.delete
    },
    OperatorRoute(.post, "/api/webhooks/{id}/rotate", for: .webhooks, .events) {
      $0.webhooks.rotate
    },
    OperatorRoute(.post, "/api/webhooks/{id}/enable", for: .webhooks, .events) {
      $0.webhooks.enable
    },
    OperatorRoute(.post, "/api/webhooks/{id}/disable", for: .webhooks, .events) {
      $0.webhooks.disable
    },
    OperatorRoute(.post, "/api/webhooks/{id}/test", for: .webhooks) { $0.webhooks.test },
    OperatorRoute(.get, "/api/webhooks/{id}/attempts", for: .webhooks) { $0.webhooks.attempts },
    OperatorRoute(.get, "/") { _ in BoardController.leadToBoard },
    OperatorRoute(.get, "/board") { $0.board.show },
    OperatorRoute(.get, "/board/data") { $0.board.showData },
    OperatorRoute(.post, "/board/session") { $0.board.logIn },
    OperatorRoute(.post, "/board/session/end") { $0.board.logOut },
    OperatorRoute(.get, "/board/board.css") { $0.board.file(BoardController.style) },
    OperatorRoute(.get, "/board/board.js") { $0.board.file(BoardController.script) },
    OperatorRoute(.get, "/board/icon.svg") { $0.board.file(BoardController.icon) },
    OperatorRoute(.get, "/livez") { $0.shared.live },
    OperatorRoute(.get, "/readyz") { $0.shared.ready },
    OperatorRoute(.get, "/openapi.json") { _ in
      { routed in routed.exchange.respond(description.response(to: routed.exchange.request)) }
    },
    OperatorRoute(.get, "/problems/{name}") { $0.problems.explain },
  ]

  /// The scopes that some route needs, or the form of the board; a key with only other scopes is
  /// useless.
  package static let scopes = KeyScope.allCases.filter { scope in
    scope == .board || table.contains { $0.access.first == scope }
  }

  private static let routes = Routes(table)

  /// Returns the pattern of a path's route; `nil` if no route has the path.
  package static func pattern(of path: String) -> String? { routes.pattern(of: path) }
}
