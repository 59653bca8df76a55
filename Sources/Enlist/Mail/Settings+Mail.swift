internal import Delivery
internal import EmailAddresses
internal import FoundationEssentials
internal import Glibc
internal import HTTPSignals
internal import Logging
internal import MailingList

extension Settings {
  /// The opt-in in force, and the reason for it.
  var effectiveOptIn: (optIn: OptIn, reason: String) {
    if let optIn = self.optIn { return (optIn, "--opt-in is set") }
    if self.smtpURL != nil { return (.double, "--smtp-url is set") }
    if self.mailToDirectory != nil { return (.double, "--mail-to-directory is set") }
    return (.single, "neither --smtp-url nor --mail-to-directory is set")
  }

  /// Checks the settings of mail together, and reads the templates; `nil` if neither a relay nor a
  /// directory is set.
  func mailDelivery(of profile: ListProfile) throws(SettingError) -> MailDelivery? {
    let all = SettingTable.all
    if self.smtpURL != nil, let directory = self.mailToDirectory {
      throw all.mailToDirectory.error(directory, "--smtp-url is also set; set only one of them")
    }
    let isSet = self.smtpURL != nil || self.mailToDirectory != nil
    if !isSet, self.optIn == .double {
      throw all.optIn.error("double", "double opt-in requires --smtp-url or --mail-to-directory")
    }
    if self.smtpURL == nil {
      let settings: [(row: any SettingRow, isSet: Bool)] = [
        (all.smtpUser, self.smtpUser != nil), (all.smtpPassword, self.smtpPassword != nil),
        (all.smtpTLS, self.smtpTLS != nil), (all.smtpCA, self.smtpCA != nil),
      ]
      for (row, isSet) in settings where isSet {
        throw row.requiring(all.smtpURL, "the relay to which it applies")
      }
    }
    guard isSet else { return nil }
    let row: any SettingRow = if self.smtpURL == nil { all.mailToDirectory } else { all.smtpURL }
    guard let from = self.mailFrom else {
      throw row.requiring(all.mailFrom, "the sender of each mail: List <list@example.org>")
    }
    guard let publicURL = self.publicURL else {
      throw row.requiring(
        all.publicURL, "with which the links in each mail begin: https://list.example.org")
    }
    let identity = MailIdentity(
      from: from, replyTo: self.mailReplyTo, profile: profile, publicURL: publicURL.description,
      footer: self.mailFooter ?? "", sendsCode: self.confirmCode)
    var options = OutboxRelay.Options()
    options.connectionCount = self.smtpConnections
    options.lease = self.smtpTimeout * 3
    options.budgets = MailBudgets(all: self.mailBudget, perDomain: self.mailBudgetPerDomain)
    options.policy = RetryPolicy(firstDelay: self.mailRetry)
    return MailDelivery(
      destination: try destination(from, publicURL),
      wordings: try wordings(identity), options: options, alarmRecipient: self.alarmTo?.address)
  }

  /// The problems of mail settings that do not prevent the service from starting.
  var mailWarnings: [String] {
    var warnings: [String] = []
    if effectiveOptIn.optIn == .double, let url = self.publicURL, url.scheme != "https" {
      warnings.append(
        "mail programs offer to unsubscribe with one click only if --public-url begins with https")
    }
    if self.smtpTLS == .off, let server = try? relay(), server.user != nil, !server.isLoopback {
      warnings.append(
        "the password for the relay can be read on the way to it; set --smtp-tls to required")
    }
    return warnings
  }

  private func destination(
    _ from: Mailbox, _ publicURL: WebOrigin
  ) throws(SettingError) -> MailDelivery.Destination {
    let all = SettingTable.all
    if let directory = self.mailToDirectory {
      try all.mailToDirectory.check(mailDirectory: directory)
      return .directory(path: directory)
    }
    if let authorities = self.smtpCA { _ = try all.smtpCA.authorities(in: authorities) }
    do throws(SMTPServerError) {
      return .relay(
        try SMTPSettings(
          server: try relay(), security: self.smtpTLS, authorities: self.smtpCA,
          replyTimeout: self.smtpTimeout, connectionCount: self.smtpConnections,
          sender: self.bounceAddress ?? from.address, publicHost: publicURL.host))
    } catch {
      switch error {
      case .passwordWithoutUser:
        throw all.smtpPassword.requiring(all.smtpUser, "the user with that password")
      case .implicitTLSIsRequired, .unverifiedTLSWithUser:
        throw all.smtpTLS.error(self.smtpTLS?.rawValue ?? "auto", "\(error)")
      case .invalidURL: throw all.smtpURL.error(HiddenText.mark, "\(error)")
      }
    }
  }

  private func relay() throws(SMTPServerError) -> SMTPServer {
    try SMTPServer(
      url: self.smtpURL?.text ?? "", user: self.smtpUser, password: self.smtpPassword?.text)
  }

  private func wordings(_ identity: MailIdentity) throws(SettingError) -> MailWordings {
    let row = SettingTable.all.templates
    if let path = self.templates { try row.check(directory: path) }
    do throws(TemplateError) {
      return try MailWordings(
        identity, MailTemplates(directory: self.templates, texts: identity.profile.texts))
    } catch {
      throw row.error(nil, "\(error)")
    }
  }
}

extension SettingRow {
  fileprivate func requiring(_ missing: any SettingRow, _ purpose: String) -> SettingError {
    missing.error(nil, "--\(name) requires --\(missing.name), \(purpose)")
  }

  /// Checks that mails can be written to a directory, or that it could be created.
  fileprivate func check(mailDirectory path: String) throws(SettingError) {
    guard FileManager.default.fileExists(atPath: path) else {
      let parent = URL(filePath: path).deletingLastPathComponent().path
      guard access(parent, W_OK | X_OK) == 0 else {
        throw systemError(path, "the directory cannot be created")
      }
      return
    }
    try check(directory: path)
    guard access(path, W_OK | X_OK) == 0 else {
      throw systemError(path, "the directory cannot be written to")
    }
  }
}

/// The delivery of mail according to the settings, checked at startup.
struct MailDelivery: Sendable {
  enum Destination: Sendable {
    case relay(SMTPSettings)
    case directory(path: String)
  }

  private(set) var destination: Destination
  let wordings: MailWordings
  let options: OutboxRelay.Options
  let alarmRecipient: EmailAddress?

  /// Creates the directory of mails, if there is one, for its owner only.
  func createDirectory() throws(SettingError) {
    guard case .directory(let path) = destination, mkdir(path, 0o700) != 0, errno != EEXIST
    else { return }
    throw SettingTable.all.mailToDirectory.systemError(path, "the directory cannot be created")
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
    guard case .relay(var settings) = destination else { return }
    settings.transcript = { line in
      // The exit code reports the result even if nothing reads the conversation.
      try? OutputStream.standardOutput.write(line: LineText.escaped("\(line)"))
    }
    destination = .relay(settings)
  }

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
