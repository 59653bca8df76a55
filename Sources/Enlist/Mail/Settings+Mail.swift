internal import Delivery
internal import HTTPSignals
internal import MailingList

extension Settings {
  /// The opt-in in force, and the reason for it.
  var effectiveOptIn: (optIn: OptIn, reason: String) {
    if let optIn = self.optIn { return (optIn, "--\(SettingTable.mail.optIn.name) is set") }
    if self.smtpURL != nil { return (.double, "--\(SettingTable.mail.smtpURL.name) is set") }
    if self.mailToDirectory != nil {
      return (.double, "--\(SettingTable.mail.mailToDirectory.name) is set")
    }
    let names =
      "--\(SettingTable.mail.smtpURL.name) nor --\(SettingTable.mail.mailToDirectory.name)"
    return (.single, "neither \(names) is set")
  }

  /// Checks the settings of mail in combination, and reads the templates.
  ///
  /// Returns `nil` if neither a relay nor a directory is set.
  ///
  /// - Parameters:
  ///   - profile: The look and the words of the list, from the same settings.
  ///   - preparesDirectory: Whether the directory for mail is created if it does not exist.
  func mailDelivery(
    of profile: ListProfile, preparesDirectory: Bool = true
  ) throws(SettingError) -> MailDelivery? {
    let destinationName: String
    switch (self.smtpURL, self.mailToDirectory) {
    case (nil, nil):
      try rejectSettingsWithoutDestination()
      return nil
    case (_?, let directory?):
      throw SettingError(
        setting: "--\(SettingTable.mail.mailToDirectory.name)", value: directory,
        reason: "--\(SettingTable.mail.smtpURL.name) is also set; set only one of them")
    case (_?, nil): destinationName = SettingTable.mail.smtpURL.name
    case (nil, _?):
      try rejectSettingsWithoutURL()
      destinationName = SettingTable.mail.mailToDirectory.name
    }
    guard let mailFrom = self.mailFrom else {
      throw Self.missing(
        SettingTable.mail.mailFrom, for: destinationName,
        "the sender of each mail: List <list@example.org>")
    }
    guard let publicURL = self.publicURL else {
      throw Self.missing(
        SettingTable.service.publicURL, for: destinationName,
        "with which the links in each mail begin: https://list.example.org")
    }
    let identity = MailIdentity(
      from: mailFrom, replyTo: self.mailReplyTo, profile: profile, publicURL: publicURL.description,
      footer: self.mailFooter ?? "", sendsCode: self.confirmCode == .on)
    return MailDelivery(
      destination: try destination(from: mailFrom, publicURL, preparesDirectory: preparesDirectory),
      wordings: try wordings(identity),
      options: relayOptions,
      alarm: self.alarmTo.flatMap { recipient in
        self.mailBudget.map { OperatorAlarm(recipient: recipient.address, budget: $0) }
      }
    )
  }

  /// The problems of mail settings that do not prevent the service from starting.
  var mailWarnings: [String] {
    var warnings: [String] = []
    if effectiveOptIn.optIn == .double, let url = self.publicURL, url.scheme != "https" {
      warnings.append(
        """
        mail programs offer to unsubscribe with one click only if --\(SettingTable.service.publicURL.name) \
        begins with https
        """
      )
    }
    if self.smtpTLS == .off, let server = try? relay(), server.user != nil,
      !server.isLoopback
    {
      warnings.append(
        """
        the password for the relay can be read on the way to it; set --\(SettingTable.mail.smtpTLS.name) \
        to \(SMTPSecurity.required.rawValue)
        """
      )
    }
    return warnings
  }

  private var relayOptions: OutboxRelay.Options {
    var options = OutboxRelay.Options()
    options.connectionCount = self.smtpConnections
    options.lease = self.smtpTimeout * 3
    options.budgets = MailBudgets(all: self.mailBudget, perDomain: self.mailBudgetPerDomain)
    options.policy = RetryPolicy(firstDelay: self.mailRetry)
    return options
  }

  private func destination(
    from: Mailbox, _ publicURL: WebOrigin, preparesDirectory: Bool
  ) throws(SettingError) -> MailDelivery.Destination {
    if let mailToDirectory = self.mailToDirectory {
      let setting = "--\(SettingTable.mail.mailToDirectory.name)"
      if preparesDirectory || MailFiles.exists(mailToDirectory) {
        try MailFiles.prepareDirectory(mailToDirectory, setting: setting)
      } else {
        try MailFiles.checkParent(of: mailToDirectory, setting: setting)
      }
      return .directory(path: mailToDirectory)
    }
    let server = try relay()
    if let smtpCA = self.smtpCA {
      try MailFiles.checkAuthorities(smtpCA, setting: "--\(SettingTable.mail.smtpCA.name)")
    }
    do throws(SMTPServerError) {
      return .relay(
        try SMTPSettings(
          server: server, security: self.smtpTLS, authorities: self.smtpCA,
          replyTimeout: self.smtpTimeout, connectionCount: self.smtpConnections,
          sender: self.bounceAddress ?? from.address, publicHost: publicURL.host))
    } catch {
      throw SettingError(
        setting: "--\(SettingTable.mail.smtpTLS.name)",
        value: self.smtpTLS?.rawValue ?? SettingTable.mail.smtpTLS.defaultText, reason: "\(error)")
    }
  }

  private func relay() throws(SettingError) -> SMTPServer {
    do throws(SMTPServerError) {
      return try SMTPServer(
        url: self.smtpURL?.text ?? "", user: self.smtpUser, password: self.smtpPassword?.text)
    } catch {
      switch error {
      case .invalidURL, .implicitTLSIsRequired, .unverifiedTLSWithUser:
        throw SettingError(
          setting: "--\(SettingTable.mail.smtpURL.name)", value: HiddenText.mark, reason: "\(error)"
        )
      case .passwordWithoutUser:
        throw Self.missing(
          SettingTable.mail.smtpUser, for: SettingTable.mail.smtpPassword.name,
          "the user with that password")
      }
    }
  }

  private func wordings(_ identity: MailIdentity) throws(SettingError) -> MailWordings {
    let setting = "--\(SettingTable.mail.templates.name)"
    if let path = self.templates { try MailFiles.checkDirectory(path, setting: setting) }
    do throws(TemplateError) {
      return try MailWordings(
        identity, MailTemplates(directory: self.templates, texts: identity.profile.texts))
    } catch {
      throw SettingError(setting: setting, reason: "\(error)")
    }
  }

  /// Rejects settings that have no effect without a relay or a directory.
  private func rejectSettingsWithoutDestination() throws(SettingError) {
    let names = "--\(SettingTable.mail.smtpURL.name) or --\(SettingTable.mail.mailToDirectory.name)"
    if self.optIn == .double {
      throw SettingError(
        setting: "--\(SettingTable.mail.optIn.name)", value: OptIn.double.rawValue,
        reason: "\(OptIn.double.rawValue) opt-in requires \(names)")
    }
    try rejectSettingsWithoutURL()
  }

  /// Rejects settings of the relay if there is none.
  private func rejectSettingsWithoutURL() throws(SettingError) {
    let settings: [(name: String, isSet: Bool)] = [
      (SettingTable.mail.smtpUser.name, self.smtpUser != nil),
      (SettingTable.mail.smtpPassword.name, self.smtpPassword != nil),
      (SettingTable.mail.smtpTLS.name, self.smtpTLS != nil),
      (SettingTable.mail.smtpCA.name, self.smtpCA != nil),
    ]
    for (name, isSet) in settings where isSet {
      throw Self.missing(SettingTable.mail.smtpURL, for: name, "the relay to which it applies")
    }
  }

  /// Creates the error about a missing setting that another one requires.
  private static func missing(
    _ row: any SettingRow, for name: String, _ purpose: String
  ) -> SettingError {
    SettingError(setting: "--\(row.name)", reason: "--\(name) requires --\(row.name), \(purpose)")
  }
}
