internal import EmailAddresses
package import MailingList
package import Signals

/// A mailer that sends mails to a relay over a few connections.
///
/// Each connection has a thread of its own, because libcurl blocks; threads and connections start
/// when they are needed, and end after 20 seconds without a mail.
package final class SMTPMailer: Mailer {
  private let connections: SMTPConnections

  /// Creates a mailer; it connects at the first mail.
  ///
  /// Call it before the process has other threads: the first mailer initializes libcurl.
  package init(_ settings: SMTPSettings) {
    _ = CurlHandle.isReady
    connections = SMTPConnections(settings)
  }

  deinit {
    connections.close {}
  }

  /// Sends one mail.
  ///
  /// If no connection is free, the mail waits for one. Disposal ends the conversation of the mail
  /// within a second, usually immediately. The signal ends on the thread of a connection.
  ///
  /// - Parameter mail: The mail; its recipient is the envelope's.
  /// - Returns: A signal that completes when the relay has accepted the mail.
  package func deliver(
    _ mail: ClaimedMail,
    _ message: MailMessage
  ) -> Signal<Never, DeliveryError> {
    deliver(message.bytes, to: mail.recipient)
  }

  /// Sends one message.
  ///
  /// - Parameter message: The bytes of the message, with lines that end in CRLF.
  /// - Returns: A signal that completes when the relay has accepted the mail.
  func deliver(_ message: [UInt8], to recipient: EmailAddress) -> Signal<Never, DeliveryError> {
    Signal { observer in
      let attempt = SMTPAttempt(
        mailbox: recipient.smtpMailbox,
        requiresSMTPUTF8: recipient.requiresSMTPUTF8,
        message: message
      ) { result in
        // A delivery keeps its mailer, whose end would cancel it.
        defer { withExtendedLifetime(self) {} }
        switch result {
        case .success: observer.complete()
        case .failure(let error): observer.fail(error)
        }
      }
      self.connections.submit(attempt)
      return AnyDisposable { attempt.cancel() }
    }
  }

  /// Ends all conversations within a second, and then the connections.
  ///
  /// Every mail still has its result; a mail that comes later fails as unavailable.
  ///
  /// - Returns: A signal that completes when no connection is left.
  package func close() -> Signal<Never, Never> {
    Signal { observer in
      self.connections.close { observer.complete() }
    }
  }
}
