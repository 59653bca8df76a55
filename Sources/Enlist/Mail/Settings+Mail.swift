internal import Delivery
internal import FoundationEssentials
internal import Glibc
internal import HTTPSignals
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
    if self.smtpURL != nil, let directory = self.mailToDirectory {
      throw SettingError(
        setting: "--mail-to-directory", value: directory,
        reason: "--smtp-url is also set; set only one of them")
    }
    let isSet = self.smtpURL != nil || self.mailToDirectory != nil
    if !isSet, self.optIn == .double {
      throw SettingError(
        setting: "--opt-in", value: "double",
        reason: "double opt-in requires --smtp-url or --mail-to-directory")
    }
    if self.smtpURL == nil {
      for (name, isSet) in [
        ("smtp-user", self.smtpUser != nil), ("smtp-password", self.smtpPassword != nil),
        ("smtp-tls", self.smtpTLS != nil), ("smtp-ca", self.smtpCA != nil),
      ] where isSet { throw Self.missing("smtp-url", for: name, "the relay to which it applies") }
    }
    guard isSet else { return nil }
    let name = self.smtpURL == nil ? "mail-to-directory" : "smtp-url"
    guard let from = self.mailFrom else {
      throw Self.missing("mail-from", for: name, "the sender of each mail: List <list@example.org>")
    }
    guard let publicURL = self.publicURL else {
      let purpose = "with which the links in each mail begin: https://list.example.org"
      throw Self.missing("public-url", for: name, purpose)
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
    if let directory = self.mailToDirectory {
      try MailFiles.check(directory: directory)
      return .directory(path: directory)
    }
    if let authorities = self.smtpCA { try MailFiles.authorities(authorities, "--smtp-ca") }
    do throws(SMTPServerError) {
      return .relay(
        try SMTPSettings(
          server: try relay(), security: self.smtpTLS, authorities: self.smtpCA,
          replyTimeout: self.smtpTimeout, connectionCount: self.smtpConnections,
          sender: self.bounceAddress ?? from.address, publicHost: publicURL.host))
    } catch {
      switch error {
      case .passwordWithoutUser:
        throw Self.missing("smtp-user", for: "smtp-password", "the user with that password")
      case .implicitTLSIsRequired, .unverifiedTLSWithUser:
        let value = self.smtpTLS?.rawValue ?? "auto"
        throw SettingError(setting: "--smtp-tls", value: value, reason: "\(error)")
      case .invalidURL:
        throw SettingError(setting: "--smtp-url", value: HiddenText.mark, reason: "\(error)")
      }
    }
  }

  private func relay() throws(SMTPServerError) -> SMTPServer {
    try SMTPServer(
      url: self.smtpURL?.text ?? "", user: self.smtpUser, password: self.smtpPassword?.text)
  }

  private func wordings(_ identity: MailIdentity) throws(SettingError) -> MailWordings {
    if let path = self.templates { try MailFiles.check(isDirectory: path, "--templates") }
    do throws(TemplateError) {
      return try MailWordings(
        identity, MailTemplates(directory: self.templates, texts: identity.profile.texts))
    } catch {
      throw SettingError(setting: "--templates", reason: "\(error)")
    }
  }

  /// The error about a missing setting that another one requires.
  private static func missing(
    _ missing: String, for name: String, _ purpose: String
  ) -> SettingError {
    SettingError(setting: "--\(missing)", reason: "--\(name) requires --\(missing), \(purpose)")
  }
}

/// The files and directories in the settings of mail.
enum MailFiles {
  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Creates a directory for its owner only, unless it exists.
  static func create(directory path: String) throws(SettingError) {
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw error(path, "--mail-to-directory", "the directory cannot be created")
    }
  }

  /// Checks that mails can be written to a directory, or that it could be created.
  static func check(directory path: String) throws(SettingError) {
    let name = "--mail-to-directory"
    guard exists(path) else {
      let parent = URL(filePath: path).deletingLastPathComponent().path
      guard access(parent, W_OK | X_OK) == 0 else {
        throw error(path, name, "the directory cannot be created")
      }
      return
    }
    try check(isDirectory: path, name)
    guard access(path, W_OK | X_OK) == 0 else {
      throw error(path, name, "the directory cannot be written to")
    }
  }

  static func check(isDirectory path: String, _ setting: String) throws(SettingError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw error(path, setting, "the directory cannot be read")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw SettingError(setting: setting, value: path, reason: "the path is not a directory")
    }
  }

  /// Reads a file that contains at least one certificate in PEM; a pipe or a device might not end.
  @discardableResult
  static func authorities(_ path: String, _ setting: String) throws(SettingError) -> [UInt8] {
    var status = stat()
    guard stat(path, &status) == 0 else { throw error(path, setting, "the file cannot be read") }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw SettingError(setting: setting, value: path, reason: "the path is not a file")
    }
    do throws(FileError) {
      let bytes = try ValueFile.bytes(path, maximumBytes: 1 << 22)
      if bytes.contains("-----BEGIN CERTIFICATE-----".utf8) { return bytes }
      throw FileError("the file contains no certificate in PEM format")
    } catch {
      throw SettingError(setting: setting, value: path, reason: error.reason)
    }
  }

  private static func error(_ path: String, _ setting: String, _ reason: String) -> SettingError {
    let reason = "\(reason): \(SystemError.text(of: errno))"
    return SettingError(setting: setting, value: path, reason: reason)
  }
}
