package import Logging
package import MailingList

/// What the service is given: storage, response policy, clock and limits.
package struct Dependencies: Sendable {
  /// The commands that add sign-ups to the list.
  package var commands: SubscribeCommands
  /// The store of the list.
  package var store: any SubscriberStore
  /// The response policy, the same object that the daemon has.
  package var responsePolicy: ServiceResponsePolicy
  /// The service's logger; addresses and ids are never logged.
  package var logger: Logger
  /// The clock.
  package var now: @Sendable () -> Timestamp = { .now }
  /// Makes the public id of an execution.
  package var makeID: @Sendable (Timestamp) -> ExecutionID = { time in
    var generator = PooledRandomNumberGenerator(pool: Self.randomNumbers)
    return ExecutionID(at: time, using: &generator)
  }

  private static let randomNumbers = RandomPool()
  /// The rate of sign-ups for each client.
  package var signUpRate = RequestRate.unlimited
  /// The rate of email checks for each client.
  package var checkRate = RequestRate.unlimited
  /// The rate at which each client may open event streams.
  package var streamRate = RequestRate.unlimited
  /// The number of status events that are kept for clients that resume.
  package var streamHistory = 8192
  /// The time for which an execution's messages are kept after its end.
  package var executionHistory: Duration = .seconds(600)
  /// Whether the merged status stream is public.
  package var isStatusStreamPublic = true

  /// Creates dependencies with the default limits.
  ///
  /// - Parameters:
  ///   - commands: The commands that add sign-ups to the list.
  ///   - store: The store of the list.
  ///   - responsePolicy: The response policy, the same object that the daemon has.
  ///   - logger: The service's logger.
  package init(
    commands: SubscribeCommands,
    store: any SubscriberStore,
    responsePolicy: ServiceResponsePolicy,
    logger: Logger
  ) {
    self.commands = commands
    self.store = store
    self.responsePolicy = responsePolicy
    self.logger = logger
  }
}
