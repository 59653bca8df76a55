package import MailingList
package import Signals

/// The delivery of the mails in an outbox.
///
/// Changes of the outbox, the due time of the next mail, and free connections lead to a claim. Each
/// claimed mail is delivered, and its result is settled in the transaction that claims the next
/// mails.
///
/// ```swift
/// let relay = OutboxRelay(outbox: store.outbox, mailer: mailer, content: content, on: scheduler)
/// relay.run(until: draining).subscribe(next: { log($0) }, completed: { mailer.close() })
/// ```
package struct OutboxRelay: Sendable {
  /// The functions that create the content of mails.
  package struct Content: Sendable {
    let message: @Sendable (ClaimedMail, Timestamp) throws(HeaderFieldError) -> MailMessage
    let credentials: @Sendable (ClaimedMail) -> MailCredentials

    /// Creates the content from two functions.
    ///
    /// - Parameters:
    ///   - message: Composes the message of a mail at the time of the attempt; called on the
    ///     relay's scheduler, once for each attempt.
    ///   - credentials: Returns the credentials for the store; called on the store's thread.
    package init(
      message:
        @escaping @Sendable (ClaimedMail, Timestamp) throws(HeaderFieldError) -> MailMessage,
      credentials: @escaping @Sendable (ClaimedMail) -> MailCredentials
    ) {
      self.message = message
      self.credentials = credentials
    }

    /// Creates the content from a composer.
    package init(_ composer: MailComposer) {
      self.init(
        message: { (mail, time) throws(HeaderFieldError) in
          try composer.message(for: mail, at: time)
        },
        credentials: { composer.credentials(for: $0) }
      )
    }
  }

  /// The limits, clock and jitter of a relay.
  package struct Options: Sendable {
    /// The maximum number of concurrent deliveries, at least 1.
    package var connectionCount = 2
    /// The duration of a mail's lease; must exceed the mailer's timeout for one mail.
    package var lease = Duration.seconds(180)
    package var policy = RetryPolicy()
    package var budgets = MailBudgets()
    package var now: @Sendable () -> Timestamp = { .now }
    /// Returns the jitter of delays, 0 to 1.
    package var jitter: @Sendable () -> Double = { .random(in: 0...1) }

    package init() {}
  }

  let outbox: any Outbox
  let mailer: any Mailer
  let content: Content
  let options: Options
  let scheduler: any Scheduler

  /// Creates a relay that decides and composes mails on `scheduler`, which must be serial, and must
  /// not be the scheduler of the store's thread.
  package init(
    outbox: any Outbox, mailer: any Mailer, content: Content, options: Options = Options(),
    on scheduler: any Scheduler
  ) {
    self.outbox = outbox
    self.mailer = mailer
    self.content = content
    self.options = options
    self.scheduler = scheduler
  }

  /// Delivers mails until `draining` sends the time limit for the remaining deliveries.
  ///
  /// The signal is cold: each subscription is a separate run. Disposing it stops all deliveries
  /// without a result; their mails are due again when the leases end. The signal completes when the
  /// results of all mails are stored, or when the store has closed.
  package func run(until draining: Signal<Duration, Never>) -> Signal<OutboxRelayEvent, Never> {
    Signal { observer in
      let run = OutboxRelayRun(self, observer)
      run.start(until: draining)
      return run.subscriptions
    }
  }
}
