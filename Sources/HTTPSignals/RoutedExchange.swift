/// An exchange that a route receives, with the parameters in the route's pattern.
package struct RoutedExchange: Sendable {
  /// The segment of a path that a parameter matches.
  struct Parameter: Sendable {
    /// The name of the parameter: `id` for `{id}`.
    let name: String
    /// The segment, still percent-encoded.
    let value: Substring
  }

  package let exchange: Exchange
  private let parameters: [Parameter]

  /// Creates a routed exchange; an empty array of parameters allocates nothing.
  init(_ exchange: Exchange, parameters: [Parameter]) {
    self.exchange = exchange
    self.parameters = parameters
  }

  /// The segment of the path for a parameter, nonempty and still percent-encoded; `nil` if the
  /// route's pattern has no such parameter.
  package subscript(name: String) -> Substring? {
    parameters.first { $0.name == name }?.value
  }
}
