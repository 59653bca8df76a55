internal import HTTPSignals
internal import HTTPTypes
internal import MailingList

/// A route of the operator's listener: its method, its pattern, its scope, and its handler.
struct OperatorRoute: Sendable {
  /// Responds to an exchange of an actor, which is the program with the key if there is one.
  typealias Handler = @Sendable (RoutedExchange, EventActor) -> Void

  /// The method; a route for GET also gets HEAD.
  let method: HTTPRequest.Method
  /// The pattern of the path, in the router's format.
  let pattern: String
  /// The scope that a key needs; `nil` if the route needs no key.
  let scope: KeyScope?
  /// Another scope that a key needs; `nil` if ``scope`` suffices.
  let otherScope: KeyScope?
  /// Returns the handler of a service.
  let handler: @Sendable (OperatorRoutes) -> Handler

  init(
    _ method: HTTPRequest.Method, _ pattern: String, for scope: KeyScope? = nil,
    and otherScope: KeyScope? = nil, _ handler: @escaping @Sendable (OperatorRoutes) -> Handler
  ) {
    self.method = method
    self.pattern = pattern
    self.scope = scope
    self.otherScope = otherScope
    self.handler = handler
  }

  /// Creates a route that changes nothing, so that its handler need not know the actor.
  init(
    _ method: HTTPRequest.Method, _ pattern: String, for scope: KeyScope? = nil,
    and otherScope: KeyScope? = nil,
    _ handler: @escaping @Sendable (OperatorRoutes) -> @Sendable (RoutedExchange) -> Void
  ) {
    self.init(method, pattern, for: scope, and: otherScope) { routes in
      let respond = handler(routes)
      return { routed, _ in respond(routed) }
    }
  }
}
