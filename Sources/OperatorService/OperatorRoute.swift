internal import HTTPSignals
internal import HTTPTypes
internal import MailingList

/// A route of the operator's listener; its access is the scopes that a key needs, none if the route
/// needs no key.
///
/// Its handler responds to an exchange of an actor, which is the program with the key if there is
/// one.
typealias OperatorRoute = Route<
  [KeyScope], @Sendable (OperatorRoutes) -> @Sendable (RoutedExchange, EventActor) -> Void
>

extension OperatorRoute {
  init(
    _ method: HTTPRequest.Method, _ pattern: String, for scopes: KeyScope...,
    handler: Handler
  ) {
    self.init(method, pattern, for: scopes, handler: handler)
  }

  /// Creates a route that changes nothing, so that its handler need not know the actor.
  init(
    _ method: HTTPRequest.Method, _ pattern: String, for scopes: KeyScope...,
    handler: @escaping @Sendable (OperatorRoutes) -> @Sendable (RoutedExchange) -> Void
  ) {
    self.init(method, pattern, for: scopes) { routes in
      let respond = handler(routes)
      return { routed, _ in respond(routed) }
    }
  }
}
