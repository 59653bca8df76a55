package import MailingList
package import Signals

/// The delivery of the mails in an outbox.
///
/// It is a signal: changes of the outbox, the time of the next mail that is due, and free
/// connections lead to a claim; each mail that is claimed is delivered, and its result is settled
/// in the transaction that claims the next one.
///
/// ```swift
/// let relay = OutboxRelay(outbox: store.outbox, mailer: mailer, content: content, on: scheduler)
/// relay.run(until: draining).subscribe(next: { log($0) }, completed: { mailer.close() })
/// ```
package struct OutboxRelay: Sendable {
  /// What makes the content of mails.
  package struct Content: Sendable {
    let message: @Sendable (ClaimedMail, Timestamp) throws(HeaderFieldError) -> MailMessage
    let credentials: @Sendable (ClaimedMail) -> MailCredentials

    /// Creates the content of mails.
    ///
    /// - Parameters:
    ///   - message: Makes the message of a mail and the time of the attempt; called on the relay's
    ///     scheduler, once for each attempt.
    ///   - credentials: Makes what the store keeps of that message; called on the store's thread.
    package init(
      message:
        @escaping @Sendable (ClaimedMail, Timestamp) throws(HeaderFieldError) -> MailMessage,
      credentials: @escaping @Sendable (ClaimedMail) -> MailCredentials
    ) {
      self.message = message
      self.credentials = credentials
    }

    /// Creates the content that a composer makes.
    package init(_ composer: MailComposer) {
      self.init(
        message: { (mail, time) throws(HeaderFieldError) in
          try composer.message(for: mail, at: time)
        },
        credentials: { composer.credentials(for: $0) }
      )
    }
  }

  /// The limits of a relay.
  package struct Options: Sendable {
    /// The maximum number of mails that are delivered at a time, at least 1.
    package var connectionCount = 2
    /// How long a mail is leased: longer than the mailer takes for one.
    package var lease = Duration.seconds(180)
    /// When mails are tried again.
    package var policy = RetryPolicy()
    /// Returns the current time.
    package var now: @Sendable () -> Timestamp = { .now }
    /// Returns the jitter of delays, 0 to 1.
    package var jitter: @Sendable () -> Double = { .random(in: 0...1) }

    /// Creates the default options.
    package init() {}
  }

  let outbox: any Outbox
  let mailer: any Mailer
  let content: Content
  let options: Options
  let scheduler: any Scheduler

  /// Creates a relay.
  ///
  /// - Parameter scheduler: Where the relay decides and composes mails: one that runs its work one
  ///   after another, and not that of the store's thread.
  package init(
    outbox: any Outbox,
    mailer: any Mailer,
    content: Content,
    options: Options = Options(),
    on scheduler: any Scheduler
  ) {
    self.outbox = outbox
    self.mailer = mailer
    self.content = content
    self.options = options
    self.scheduler = scheduler
  }

  /// Delivers mails until it is told to drain.
  ///
  /// The signal is cold: each subscription is a relay. Disposing it stops all deliveries without a
  /// result; their mails are due again when the leases end.
  ///
  /// - Returns: A signal of what happens. It completes when the results of all mails are stored, or
  ///   when the store has closed.
  package func run(until draining: Signal<Duration, Never>) -> Signal<OutboxRelayEvent, Never> {
    Signal { observer in
      let run = OutboxRelayRun(self, observer)
      run.start(until: draining)
      return run.subscriptions
    }
  }
}
