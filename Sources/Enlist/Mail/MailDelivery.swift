internal import Delivery
internal import Logging

/// How the service delivers mail: what its settings say, checked at startup.
struct MailDelivery: Sendable {
  /// Where mail goes.
  enum Destination: Sendable {
    /// To a relay, over SMTP.
    case relay(SMTPSettings)
    /// To files in a directory.
    case directory(path: String)
  }

  /// Where mail goes.
  private(set) var destination: Destination
  /// What mail says, from templates that have been checked.
  let wordings: MailWordings
  /// The limits of the outbox's relay.
  let options: OutboxRelay.Options

  /// Makes the mailer; call it before the process has other threads.
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

  /// Where mail goes, as the log names it.
  var metadata: Logger.Metadata {
    switch destination {
    case .relay(let settings): ["relay": "\(settings.server)"]
    case .directory(let path): ["directory": "\(path)"]
    }
  }

  /// What a command prints after a mail has been delivered.
  var successMessage: String {
    switch destination {
    case .relay: "the relay has accepted the mail"
    case .directory(let path): "the mail is a file in \(path)"
    }
  }
}
