package import MailingList
package import Signals

/// A way to deliver mails: a relay, or a directory.
package protocol Mailer: Sendable {
  /// Delivers one mail to the recipient of `mail`, which becomes the recipient of the envelope.
  ///
  /// The signal is cold: each subscription makes one attempt, and disposing it stops the attempt
  /// as soon as possible. It completes when the mail has been accepted, and fails otherwise.
  /// Subscribing is allowed on any thread and does not block; the signal ends on a thread that the
  /// mailer chooses.
  func deliver(_ mail: ClaimedMail, _ message: MailMessage) -> Signal<Never, DeliveryError>

  /// Ends all deliveries, each with a result, and closes the connections.
  ///
  /// The signal completes when all connections are closed.
  func close() -> Signal<Never, Never>
}

extension Mailer {
  /// Completes immediately: a mailer without connections has nothing to close.
  package func close() -> Signal<Never, Never> { .empty }
}
