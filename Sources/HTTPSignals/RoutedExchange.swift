/// An exchange that a route receives, with the parameters that the route's pattern names.
package struct RoutedExchange: Sendable {
  /// The segment of a path that a parameter matches.
  struct Parameter: Sendable {
    /// The name of the parameter: `id` for `{id}`.
    let name: String
    /// The segment, still percent-encoded.
    let value: Substring
  }

  /// The exchange.
  package let exchange: Exchange
  private let parameters: [Parameter]

  /// Makes a routed exchange.
  ///
  /// - Parameter parameters: The parameters; an empty array allocates nothing.
  init(_ exchange: Exchange, parameters: [Parameter]) {
    self.exchange = exchange
    self.parameters = parameters
  }

  /// Returns the value of a parameter.
  ///
  /// - Returns: The segment of the path, nonempty and still percent-encoded; `nil` if the route's
  ///   pattern has no such parameter.
  package subscript(name: String) -> Substring? {
    parameters.first { $0.name == name }?.value
  }
}
