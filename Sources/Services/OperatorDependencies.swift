package import HTTPSignals
package import Logging
package import MailingList
package import Platform
package import Security
package import Signals

/// The dependencies of the operator's side of the service.
package struct OperatorDependencies: Sendable {
  /// Access to the metrics.
  package enum MetricsAccess: String, CaseIterable, Sendable {
    /// A client with a key that has the scope `metrics`.
    case key
    /// Any client.
    case open
  }

  /// The handlers that are shared with the public side of the service.
  package struct SharedResponses: Sendable {
    /// Responds like `GET /livez`.
    package let live: @Sendable (RoutedExchange) -> Void
    /// Responds like `GET /readyz`.
    package let ready: @Sendable (RoutedExchange) -> Void
    /// Sends the reason why the service is not ready, `nil` if it is, like `GET /readyz`.
    package let obstacle: @Sendable () -> Signal<ProblemDetails?, Never>

    package init(
      live: @escaping @Sendable (RoutedExchange) -> Void,
      ready: @escaping @Sendable (RoutedExchange) -> Void,
      obstacle: @escaping @Sendable () -> Signal<ProblemDetails?, Never>
    ) {
      self.live = live
      self.ready = ready
      self.obstacle = obstacle
    }
  }

  package var keys: any KeyStore
  package var list: any OperatorStore
  package var outbox: any Outbox
  /// `nil` if there are no webhooks.
  package var webhooks: WebhookAdministration?
  package var registry: MetricRegistry
  /// The secrets of the list, from which the sessions of the board are derived.
  package var keyring: Keyring
  package var shared: SharedResponses
  /// The object that the daemon uses as well.
  package var responsePolicy: OperatorResponsePolicy
  /// Runs the creation of metrics' texts, on the loop of the operator's listener.
  package var scheduler: any Scheduler
  /// Keys are never logged.
  package var logger: Logger
  package var metricsAccess = MetricsAccess.key
  /// The origin of the board for browsers, if a proxy is in front of it.
  package var operatorURL: WebOrigin?
  /// The name of the list, or an empty text.
  package var listName = ""
  /// The owner's fields of a subscriber.
  package var fields: [FormField] = []
  package var now: @Sendable () -> Timestamp = { .now }

  package init(
    keys: any KeyStore, list: any OperatorStore, outbox: any Outbox, registry: MetricRegistry,
    keyring: Keyring, shared: SharedResponses, responsePolicy: OperatorResponsePolicy,
    scheduler: any Scheduler, logger: Logger
  ) {
    self.keys = keys
    self.list = list
    self.outbox = outbox
    self.registry = registry
    self.keyring = keyring
    self.shared = shared
    self.responsePolicy = responsePolicy
    self.scheduler = scheduler
    self.logger = logger
  }
}
