package import HTTPSignals
package import Logging
package import MailingList
package import Monitoring
package import Signals

/// What the operator's side of the service is given.
package struct OperatorDependencies: Sendable {
  /// Who may read the metrics.
  package enum MetricsAccess: String, CaseIterable, Sendable {
    /// A client with a key that has the scope `metrics`.
    case key
    /// Any client.
    case open
  }

  /// What the public side of the service does also here.
  package struct SharedResponses: Sendable {
    /// Responds like `GET /livez`.
    package let live: @Sendable (RoutedExchange) -> Void
    /// Responds like `GET /readyz`.
    package let ready: @Sendable (RoutedExchange) -> Void
    /// The problem of a request while the store cannot be read.
    package let unavailable: ProblemDetails

    /// Creates the responses.
    ///
    /// - Parameter unavailable: The problem of a request while the store cannot be read.
    package init(
      live: @escaping @Sendable (RoutedExchange) -> Void,
      ready: @escaping @Sendable (RoutedExchange) -> Void,
      unavailable: ProblemDetails
    ) {
      self.live = live
      self.ready = ready
      self.unavailable = unavailable
    }
  }

  /// The store of keys.
  package var keys: any KeyStore
  /// Numbers about the store of the list.
  package var statistics: any StoreStatistics
  /// The mails that wait.
  package var outbox: any Outbox
  /// The metrics of the process.
  package var registry: MetricRegistry
  /// What the public side of the service does also here.
  package var shared: SharedResponses
  /// The response policy, the same object that the daemon has.
  package var responsePolicy: OperatorResponsePolicy
  /// Where texts of metrics are made: on the loop of the operator's listener.
  package var scheduler: any Scheduler
  /// The service's logger; keys are never logged.
  package var logger: Logger
  /// Who may read the metrics.
  package var metricsAccess = MetricsAccess.key
  /// The clock.
  package var now: @Sendable () -> Timestamp = { .now }

  /// Creates dependencies.
  ///
  /// - Parameter shared: What the public side of the service does also here.
  package init(
    keys: any KeyStore,
    statistics: any StoreStatistics,
    outbox: any Outbox,
    registry: MetricRegistry,
    shared: SharedResponses,
    responsePolicy: OperatorResponsePolicy,
    scheduler: any Scheduler,
    logger: Logger
  ) {
    self.keys = keys
    self.statistics = statistics
    self.outbox = outbox
    self.registry = registry
    self.shared = shared
    self.responsePolicy = responsePolicy
    self.scheduler = scheduler
    self.logger = logger
  }
}
