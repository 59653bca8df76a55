internal import Delivery
internal import EmailAddresses
internal import Logging
internal import MailingList
internal import Signals

/// The mail that tells the operator of a spent budget; it does not count for any budget.
struct OperatorAlarm: Sendable {
  let recipient: EmailAddress
  let budget: MailBudget

  private static let subject = "Mail to new people waits"

  private var text: String {
    """
    In the last \(DurationText.text(of: budget.period)), sign-ups caused \(budget.count) mails that \
    nobody has confirmed. Either strangers are signed up, or many people are slow. Further \
    mails are held for up to a day, and leave as confirmations come in.

    enlist held             counts them by hour, network, origin and client program
    enlist held release     sends them, whatever the budget
    enlist held drop        deletes them; both take --since, --until, --network and --origin

    This mail comes at most once in six hours. Its recipient is --alarm-to, and the budget is
    --mail-budget.
    """
  }

  /// Sends the mail in one attempt; a failure is logged.
  func send(by mailer: any Mailer, _ composer: MailComposer, _ logger: Logger) {
    let now = Timestamp.now
    let mail = ClaimedMail(outsideOutboxTo: recipient, at: now)
    do throws(HeaderFieldError) {
      let message = try composer.notice(Self.subject, text, in: mail, at: now)
      mailer.deliver(mail, message).subscribe(failed: { error in
        logger.error("the mail to --alarm-to was not sent", metadata: ["error": "\(error)"])
      })
    } catch {
      logger.error("the mail to --alarm-to cannot be composed")
    }
  }
}

extension ClaimedMail {
  /// Creates a mail that is in no outbox, with a new id.
  convenience init(outsideOutboxTo recipient: EmailAddress, at time: Timestamp) {
    var generator = SystemRandomNumberGenerator()
    self.init(
      id: MailID(at: time, using: &generator), kind: .confirm, subscriberID: 0,
      consentID: ExecutionID(at: time, using: &generator), recipient: recipient, locale: nil,
      createdAt: time, grantedAt: time, isFirstGrant: true, attempts: 0, leasedUntil: time)
  }
}
