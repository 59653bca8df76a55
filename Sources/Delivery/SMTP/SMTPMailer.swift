internal import EmailAddresses
package import MailingList
package import Signals

/// A mailer that sends mails to a relay over a few connections.
///
/// Each connection has its own queue, because libcurl blocks. Connections open on demand, and close
/// after 20 seconds without a mail.
package final class SMTPMailer: Mailer {
  private let connections: SMTPConnections

  /// Creates a mailer, which connects with the first mail.
  ///
  /// Create the first one before the process has other threads, because it initializes libcurl.
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
  /// within a second, usually immediately. The signal completes when the relay has accepted the
  /// mail; it ends on the queue of a connection.
  package func deliver(_ mail: ClaimedMail, _ message: MailMessage) -> Signal<Never, DeliveryError>
  {
    deliver(message.bytes, to: mail.recipient)
  }

  /// Sends one message, whose lines must end in CRLF.
  func deliver(_ message: [UInt8], to recipient: EmailAddress) -> Signal<Never, DeliveryError> {
    Signal { observer in
      let attempt = SMTPAttempt(
        mailbox: recipient.smtpMailbox, requiresSMTPUTF8: recipient.requiresSMTPUTF8,
        message: message
      ) { result in
        // A delivery retains its mailer, whose deinitialization would cancel it.
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
  /// Each running or waiting mail still gets a result; later mails fail with
  /// ``DeliveryError/relayUnavailable(_:)``. The signal completes when all connections are closed.
  package func close() -> Signal<Never, Never> {
    Signal { observer in
      self.connections.close { observer.complete() }
    }
  }
}
