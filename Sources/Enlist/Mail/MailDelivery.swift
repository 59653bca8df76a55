internal import Delivery
internal import EmailAddresses
internal import Logging

/// The delivery of mail according to the settings, checked at startup.
struct MailDelivery: Sendable {
  /// The destination of mail.
  enum Destination: Sendable {
    /// A relay, over SMTP.
    case relay(SMTPSettings)
    /// Files in a directory.
    case directory(path: String)
  }

  private(set) var destination: Destination
  /// The texts of mail, from templates that have been checked.
  let wordings: MailWordings
  /// The limits of the outbox's relay.
  let options: OutboxRelay.Options
  /// Whom to tell of a spent budget.
  let alarmRecipient: EmailAddress?

  /// Creates the directory of mails, if there is one, once all settings are valid.
  func createDirectory() throws(SettingError) {
    if case .directory(let path) = destination { try MailFiles.create(directory: path) }
  }

  /// Creates the mailer; call this before the process has other threads.
  func makeMailer() -> any Mailer {
    switch destination {
    case .relay(let settings): SMTPMailer(settings)
    case .directory(let path): DirectoryMailer(directory: path)
    }
  }

  /// Prints conversations with the relay on standard output, without credentials.
  mutating func printConversation() {
    switch destination {
    case .relay(var settings):
      settings.transcript = { line in
        // The exit code reports the result even if nothing reads the conversation.
        try? OutputStream.standardOutput.write(line: LineText.escaped("\(line)"))
      }
      destination = .relay(settings)
    case .directory: break
    }
  }

  /// The destination of mail for the log.
  var metadata: Logger.Metadata {
    switch destination {
    case .relay(let settings): ["relay": "\(settings.server)"]
    case .directory(let path): ["directory": "\(path)"]
    }
  }

  /// The line that a command prints after a mail has been delivered.
  var successMessage: String {
    switch destination {
    case .relay: "the relay has accepted the mail"
    case .directory(let path): "the mail is a file in \(path)"
    }
  }
}
