internal import HTTPSignals
internal import HTTPTypes
internal import MailingList

/// A route of the operator's listener: its method, its pattern, its scope, and its handler.
struct OperatorRoute: Sendable {
  typealias Handler = @Sendable (RoutedExchange) -> Void

  /// The method; a route for GET also gets HEAD.
  let method: HTTPRequest.Method
  /// The pattern of the path, in the router's format.
  let pattern: String
  /// The scope that a key needs; `nil` if the route needs no key.
  let scope: KeyScope?
  /// Returns the handler of a service.
  let handler: @Sendable (OperatorRoutes) -> Handler

  init(
    _ method: HTTPRequest.Method,
    _ pattern: String,
    for scope: KeyScope? = nil,
    _ handler: @escaping @Sendable (OperatorRoutes) -> Handler
  ) {
    self.method = method
    self.pattern = pattern
    self.scope = scope
    self.handler = handler
  }
}
