internal import CResources
package import Delivery
package import HTTPSignals
internal import HTTPTypes
package import MailingList
internal import Platform
internal import Security
package import Signals

/// The service that the operator uses: what lives as long as it, and the handlers of its requests.
///
/// It has the store, the metrics, the clock and the log of the service beside it.
package final class Operator: Sendable {
  /// Access to the metrics.
  package enum MetricsAccess: String, CaseIterable, Sendable {
    /// A client with a key that has the scope `metrics`.
    case key
    /// Any client.
    case open
  }

  package struct Settings: Sendable {
    package var metricsAccess = MetricsAccess.key
    /// The origin of the board for browsers, if a proxy is in front of it.
    package var url: WebOrigin?
    /// The name of the list, or an empty text.
    package var listName = ""
    /// The owner's fields of a subscriber.
    package var fields: [FormField] = []
    /// Returns whether no mail is sent because the relay fails; `nil` without mail.
    package var isMailPaused: (@Sendable () -> Bool)?

    package init() {}
  }

  let settings: Settings
  let service: SignUpService
  let webhookClient: WebhookClient
  let webhookSecrets: WebhookSecrets
  /// Runs the creation of metrics' texts, on the loop of the operator's listener.
  let scheduler: any Scheduler
  let start: Timestamp
  let gate: KeyGate
  let recentCounts: Recent<[Subscriber.State: Int]>
  let recentBacklog: Recent<OutboxBacklog>

  package init(
    beside service: SignUpService, webhooks: WebhookClient, on scheduler: any Scheduler,
    _ settings: Settings
  ) {
    self.settings = settings
    self.service = service
    webhookClient = webhooks
    webhookSecrets = WebhookSecrets(service.dependencies.store.keyring)
    self.scheduler = scheduler
    let (store, now) = (service.dependencies.store, service.dependencies.now)
    start = now()
    gate = KeyGate(service.dependencies, on: scheduler)
    recentCounts = Recent(
      store.subscriberCounts(), for: .seconds(60), limit: .seconds(600), on: scheduler, now: now)
    recentBacklog = Recent(
      store.outbox.backlog(), for: .seconds(1), limit: Self.readTimeout, on: scheduler, now: now)
    registry.observe("enlist_queued_sign_ups") { Double(store.queuedSignUps) }
    registry.observe("enlist_wal_bytes") { store.logBytes.map(Double.init) }
  }

  var list: any ListStore { service.dependencies.store }
  var registry: MetricRegistry { service.dependencies.metrics }
  var now: @Sendable () -> Timestamp { service.dependencies.now }

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
    by handler: @escaping @Sendable (Call) -> Void
  ) {
    guard let scope = scopes.first, scope != .metrics || settings.metricsAccess == .key else {
      return handler(Call(routed: routed, actor: .system))
    }
    gate.authorize(routed.exchange.request, for: scopes).subscribe(
      next: { key in handler(Call(routed: routed, actor: .key(id: key))) },
      failed: { problem in routed.exchange.respond(problem) })
  }

  /// `GET /problems/{name}`: the explanation of a type of problem, as plain text.
  fileprivate func explainProblem(_ routed: RoutedExchange) throws(ProblemDetails) {
    guard let name = routed["name"], let text = Texts.english.help(on: String(name))?.text else {
      throw .notFound
    }
    var response = Response(status: .ok, body: .bytes(Array("\(text)\n".utf8)))
    response.fields[.contentType] = "text/plain; charset=utf-8"
    response.fields[.cacheControl] = "public, max-age=300"
    routed.exchange.respond(response)
  }
}

/// A route of the operator's listener; its access is the scopes that a key needs, none if the route
/// needs no key.
typealias OperatorRoute = Route<[KeyScope], @Sendable (Operator) -> @Sendable (Call) -> Void>

extension OperatorRoute {
  /// Creates a route of the API.
  fileprivate static func api(
    _ method: HTTPRequest.Method, _ pattern: String, for scopes: KeyScope...,
    by reply:
      @escaping @Sendable (Operator) -> (Call) throws(ProblemDetails) ->
      Signal<Response, ProblemDetails>
  ) -> OperatorRoute {
    OperatorRoute(method, pattern, for: scopes) { service in
      { call in service.respond(to: call, by: reply(service)) }
    }
  }

  /// Creates a route that responds itself.
  fileprivate static func other(
    _ method: HTTPRequest.Method, _ pattern: String, for scopes: KeyScope...,
    by handler:
      @escaping @Sendable (Operator) -> @Sendable (RoutedExchange) throws(ProblemDetails) -> Void
  ) -> OperatorRoute {
    OperatorRoute(method, pattern, for: scopes) { service in
      let respond = handler(service)
      return { call in
        do throws(ProblemDetails) {
          try respond(call.routed)
        } catch {
          call.routed.exchange.respond(error)
        }
      }
    }
  }

  /// Creates a route of the board, which is reached only under a host of the board, and whose
  /// problems are pages to a browser.
  fileprivate static func board(
    _ method: HTTPRequest.Method, _ pattern: String,
    by handler:
      @escaping @Sendable (Operator) -> @Sendable (Exchange) throws(ProblemDetails) -> Void
  ) -> OperatorRoute {
    OperatorRoute(method, pattern, for: []) { service in
      let respond = handler(service)
      return { call in
        let exchange = call.routed.exchange
        do throws(ProblemDetails) {
          guard exchange.request.isForBoard(at: service.settings.url) else {
            throw ProblemDetails(KeyProblem.hostNotAllowed)
          }
          try respond(exchange)
        } catch {
          service.showProblem(error, to: exchange)
        }
      }
    }
  }
}

extension Operator {
  /// The description of these routes.
  static let description = Description(
    resource_openapi_operator(),
    table.map { route in
      Description.Operation(
        method: route.method, path: route.pattern,
        problems: DescribedProblem.general + (route.access.isEmpty ? [] : DescribedProblem.ofKeys),
        scopes: route.access.map(\.rawValue))
    }, isPublic: false)

  /// The file of the description, made for the first request.
  static let descriptionFile = description.asset

  /// All routes of the operator's listener.
  ///
  /// None of them is for pages of other origins, so `OPTIONS` gets 405 like any other missing
  /// method.
  static let table: [OperatorRoute] = [
    .api(.get, "/api/counts", for: .read) { $0.counts },
    .api(.get, "/api/subscribers", for: .read) { $0.subscribers },
    .api(.post, "/api/subscribers", for: .add) { $0.add },
    .api(.get, "/api/subscribers/{id}", for: .read) { $0.subscriber },
    .api(.delete, "/api/subscribers/{id}", for: .write) { $0.erase },
    .api(.get, "/api/subscribers/{id}/consents", for: .read) { $0.consents },
    .api(.put, "/api/subscribers/{id}/state", for: .write) { $0.setState },
    .api(.post, "/api/subscribers/{id}/confirmation", for: .write) { $0.requestConfirmation },
    .api(.post, "/api/lookups", for: .read) { $0.lookUp },
    .api(.post, "/api/feedback", for: .feedback) { $0.report },
    .api(.get, "/api/events", for: .events) { $0.events },
    .api(.get, "/api/events/stream", for: .events) { $0.eventStream },
    .api(.get, "/api/webhooks", for: .webhooks) { $0.webhooks },
    .api(.post, "/api/webhooks", for: .webhooks, .events) { $0.createWebhook },
    .api(.get, "/api/webhooks/{id}", for: .webhooks) { $0.webhook },
    .api(.patch, "/api/webhooks/{id}", for: .webhooks, .events) { $0.updateWebhook },
    .api(.delete, "/api/webhooks/{id}", for: .webhooks, .events) { $0.deleteWebhook },
    .api(.post, "/api/webhooks/{id}/rotate", for: .webhooks, .events) { $0.rotateSecret },
    .api(.post, "/api/webhooks/{id}/enable", for: .webhooks, .events) { $0.enableWebhook },
    .api(.post, "/api/webhooks/{id}/disable", for: .webhooks, .events) { $0.disableWebhook },
    .api(.post, "/api/webhooks/{id}/test", for: .webhooks) { $0.testWebhook },
    .api(.get, "/api/webhooks/{id}/attempts", for: .webhooks) { $0.webhookAttempts },
    .other(.get, "/metrics", for: .metrics) { $0.showMetrics },
    .other(.get, "/") { _ in { $0.exchange.respond(.redirect(to: "/board")) } },
    .board(.get, "/board") { $0.showBoard },
    .board(.post, "/board/session") { $0.logIn },
    .board(.post, "/board/session/end") { $0.logOut },
    .board(.get, "/board/board.css") { $0.file(boardStyle) },
    .board(.get, "/board/board.js") { $0.file(boardScript) },
    .board(.get, "/board/icon.svg") { $0.file(boardIcon) },
    .other(.get, "/livez") { $0.service.live },
    .other(.get, "/readyz") { $0.service.ready },
    .other(.get, "/openapi.json") { _ in
      { $0.exchange.respond(descriptionFile.response(to: $0.exchange.request)) }
    },
    .other(.get, "/problems/{name}") { $0.explainProblem },
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

/// The response policy of the operator's listener: JSON in English, and nothing for pages of other
/// origins.
package final class OperatorResponsePolicy: ResponsePolicy {
  package init() {}

  package var draining: ProblemDetails { .commandDisabled }

  /// Returns the problem as JSON, regardless of the client's preferences.
  package func response(for problem: ProblemDetails, to request: Request?) -> Response {
    var response = problem.response(
      to: request, title: Texts.english.title(of: problem), detail: Texts.english[problem.text])
    // `finish` is not called for a request that is rejected before it becomes an exchange.
    response.fields[.crossOriginResourcePolicy] = "same-origin"
    return response
  }

  /// Prevents pages of other origins from embedding the response, which has no CORS header field.
  package func finish(_ response: inout Response, to request: Request) {
    response.fields[.crossOriginResourcePolicy] = "same-origin"
  }
}
