package import EmailAddresses
package import Logging
package import MailingList
package import Monitoring
package import Secrets

/// What the service is given: storage, response policy, clock and limits.
package struct Dependencies: Sendable {
  /// The store of the list.
  package var store: any SubscriberStore
  /// The location of the store's database, without a password, for the log.
  package var database = ""
  /// The response policy, the same object that the daemon has.
  package var responsePolicy: ServiceResponsePolicy
  /// The service's logger; addresses and ids are never logged.
  package var logger: Logger
  /// The clock.
  package var now: @Sendable () -> Timestamp = { .now }
  /// Validates the text that a visitor typed; called once for each sign-up and each check.
  package var validate:
    @Sendable (_ typed: String, _ level: EmailLevel) throws(EmailAddressError) -> EmailAddress =
      EmailAddress.init(validating:level:)
  /// How strictly addresses are validated.
  package var emailLevel = EmailLevel.form
  /// Makes the public id of an execution.
  package var makeID: @Sendable (Timestamp) -> ExecutionID = { time in
    var generator = PooledRandomNumberGenerator(pool: Self.randomNumbers)
    return ExecutionID(at: time, using: &generator)
  }

  private static let randomNumbers = RandomPool()
  /// The set of sign-ups that share a command, which executes one at a time.
  package var commandScope = SubscribeCommands.Scope.address
  /// Checks whether a domain accepts mail; `nil` skips the check.
  package var deliverability: DeliverabilityCheck?
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
  /// The part of the client's address that is kept with a consent.
  package var consentAddress = ConsentAddress.truncated
  /// Whether the merged status stream is public.
  package var isStatusStreamPublic = true
  /// Whether the owner of an address has to confirm a sign-up.
  package var optIn = OptIn.single
  /// The keys for mail; double opt-in needs them.
  package var mailKeys: MailKeys?
  /// Whether mails contain a code, which the owner may type instead of opening the link.
  package var sendsCode = true
  /// Whether the stream of an execution can wait for the confirmation.
  package var sendsConfirmedEvent = true

  /// Makes the counters; the default counts nothing.
  package var metrics: MetricRegistry? = nil

  /// Creates dependencies with the default limits.
  package init(
    store: any SubscriberStore,
    responsePolicy: ServiceResponsePolicy,
    logger: Logger
  ) {
    self.store = store
    self.responsePolicy = responsePolicy
    self.logger = logger
  }
}
