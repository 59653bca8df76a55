import EmailAddresses

@testable import Delivery

extension SMTPMailer {
  /// Starts to deliver a mail.
  ///
  /// - Parameters:
  ///   - local: The local part of the recipient.
  ///   - text: The message.
  /// - Returns: The running delivery.
  func start(
    _ local: String, _ text: String = "Subject: Test\r\n\r\nText\r\n"
  ) throws
    -> RunningDelivery
  {
    let recipient = try EmailAddress(validating: "\(local)@example.org")
    return RunningDelivery(deliver(Array(text.utf8), to: recipient))
  }

  /// Delivers a mail, and blocks until it has a result.
  ///
  /// - Parameters:
  ///   - local: The local part of the recipient.
  ///   - text: The message.
  /// - Returns: The error; `nil` when the relay has accepted the mail.
  func send(
    _ local: String, _ text: String = "Subject: Test\r\n\r\nText\r\n"
  ) throws -> DeliveryError? {
    try start(local, text).result()
  }
}
