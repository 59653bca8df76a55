package import HTTPSignals
package import Logging
package import MailingList

/// All that the service needs from outside, as arguments.
package struct Dependencies: Sendable {
  /// The commands that put people on the list.
  package var commands: SubscribeCommands
  /// Where the list is kept.
  package var store: any SubscriberStore
  /// Where the service logs; addresses and ids never.
  package var logger: Logger
  /// The clock.
  package var now: @Sendable () -> Timestamp = { .now }
  /// Makes the public id of an execution.
  package var makeID: @Sendable (Timestamp) -> ExecutionID = { time in
    var generator = PooledRandomNumberGenerator(pool: Self.randomNumbers)
    return ExecutionID(at: time, using: &generator)
  }

  private static let randomNumbers = RandomPool()
  /// How many sign-ups are accepted from one client.
  package var signUpRate = RequestRate.unlimited
  /// How many email checks are accepted from one client.
  package var checkRate = RequestRate.unlimited
  /// How many event streams one client may open.
  package var streamRate = RequestRate.unlimited
  /// How many status events are kept for those who resume.
  package var streamHistory = 8192
  /// How long the messages of an execution are kept after its end.
  package var executionHistory: Duration = .seconds(600)
  /// Sites that may use the service from their pages, and receive redirects.
  package var allowedOrigins = AllowedOrigins.none
  /// Where the service itself is reached; no other host is served then.
  package var publicOrigin: WebOrigin?
  /// Whether the merged status stream is public.
  package var isStatusStreamPublic = true

  /// Makes an environment with the usual limits.
  ///
  /// - Parameters:
  ///   - commands: The commands that put people on the list.
  ///   - store: Where the list is kept.
  ///   - logger: Where the service logs.
  package init(commands: SubscribeCommands, store: any SubscriberStore, logger: Logger) {
    self.commands = commands
    self.store = store
    self.logger = logger
  }
}
