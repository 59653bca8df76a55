package import EmailAddresses
package import HTTPSignals
package import Logging
package import MailingList
package import Platform
package import Security

/// The dependencies of the service: storage, response policy, clock and limits.
package struct Dependencies: Sendable {
  package var store: any ListStore
  /// The location of the store's database, without a password, for the log.
  package var database = ""
  /// The object that the daemon uses as well.
  package var responsePolicy: ServiceResponsePolicy
  /// Addresses and ids are never logged.
  package var logger: Logger
  package var now: @Sendable () -> Timestamp = { .now }
  /// Validates typed text; called once for each sign-up and each check.
  package var validate:
    @Sendable (_ typed: String, _ level: EmailLevel) throws(EmailAddressError) -> EmailAddress =
      EmailAddress.init(validating:level:)
  /// The strictness of the validation.
  package var emailLevel = EmailLevel.form
  /// Creates the public id of an execution.
  package var makeID: @Sendable (Timestamp) -> ExecutionID = { time in
    var generator = Self.randomNumbers
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
  /// The number of status events that are retained for clients that resume.
  package var streamHistory = 8192
  /// The time for which an execution's messages are retained after its end.
  package var executionHistory: Duration = .seconds(600)
  /// The part of the client's address that is stored with a consent.
  package var consentAddress = ConsentAddress.truncated
  /// Whether the merged status stream is public.
  package var isStatusStreamPublic = true
  /// The keys of links and codes; double opt-in needs them, and leaving by a link of an export.
  package var mailKeys: MailKeys?
  /// Whether the stream of an execution can wait for the confirmation.
  package var sendsConfirmedEvent = true
  package var metrics = MetricRegistry()

  package init(store: any ListStore, responsePolicy: ServiceResponsePolicy, logger: Logger) {
    self.store = store
    self.responsePolicy = responsePolicy
    self.logger = logger
  }
}
