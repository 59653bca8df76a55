package import MailingList
package import Signals

/// A way to deliver mails: a relay, or a directory.
package protocol Mailer: Sendable {
  /// Delivers one mail.
  ///
  /// The signal is cold: each subscription makes one attempt, and disposing it stops the attempt
  /// as soon as possible. It completes when the mail has been accepted, and fails otherwise. It may
  /// be subscribed to on any thread, which it does not block, and ends on a thread that the mailer
  /// chooses.
  ///
  /// - Parameter mail: The mail as the outbox granted it; its recipient is the envelope's.
  /// - Returns: A signal that completes when the mail has been accepted.
  func deliver(_ mail: ClaimedMail, _ message: MailMessage) -> Signal<Never, DeliveryError>

  /// Ends all deliveries, which still have their results, and frees connections.
  ///
  /// - Returns: A signal that completes when nothing is left.
  func close() -> Signal<Never, Never>
}

extension Mailer {
  /// Completes immediately: a mailer without connections has nothing to close.
  package func close() -> Signal<Never, Never> { .empty }
}
