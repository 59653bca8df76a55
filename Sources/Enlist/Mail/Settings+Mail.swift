internal import Delivery
internal import HTTPSignals
internal import MailingList

extension Settings {
  /// The opt-in in force, and the reason for it.
  var effectiveOptIn: (optIn: OptIn, reason: String) {
    if let optIn { return (optIn, "--\(SettingTable.optIn.name) is set") }
    if smtpURL != nil { return (.double, "--\(SettingTable.smtpURL.name) is set") }
    if mailToDirectory != nil {
      return (.double, "--\(SettingTable.mailToDirectory.name) is set")
    }
    let names = "--\(SettingTable.smtpURL.name) nor --\(SettingTable.mailToDirectory.name)"
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
    of profile: ListProfile,
    preparesDirectory: Bool = true
  ) throws(SettingError) -> MailDelivery? {
    let destinationName: String
    switch (smtpURL, mailToDirectory) {
    case (nil, nil):
      try rejectSettingsWithoutDestination()
      return nil
    case (_?, let directory?):
      throw SettingError(
        setting: "--\(SettingTable.mailToDirectory.name)",
        value: directory,
        reason: "--\(SettingTable.smtpURL.name) is also set; set only one of them"
      )
    case (_?, nil): destinationName = SettingTable.smtpURL.name
    case (nil, _?):
      try rejectSettingsWithoutURL()
      destinationName = SettingTable.mailToDirectory.name
    }
    guard let mailFrom else {
      throw Self.missing(
        SettingTable.mailFrom,
        for: destinationName,
        "the sender of each mail: List <list@example.org>"
      )
    }
    guard let publicURL else {
      throw Self.missing(
        SettingTable.publicURL,
        for: destinationName,
        "with which the links in each mail begin: https://list.example.org"
      )
    }
    let identity = MailIdentity(
      from: mailFrom,
      replyTo: mailReplyTo,
      profile: profile,
      publicURL: publicURL.description,
      footer: mailFooter ?? "",
      sendsCode: confirmCode == .on
    )
    return MailDelivery(
      destination: try destination(
        from: mailFrom,
        publicURL,
        preparesDirectory: preparesDirectory
      ),
      wordings: try wordings(identity),
      options: relayOptions,
      alarm: alarmTo.flatMap { recipient in
        mailBudget.map { OperatorAlarm(recipient: recipient.address, budget: $0) }
      }
    )
  }

  /// The problems of mail settings that do not prevent the service from starting.
  var mailWarnings: [String] {
    var warnings: [String] = []
    if effectiveOptIn.optIn == .double, let publicURL, publicURL.scheme != "https" {
      warnings.append(
        """
        mail programs offer to unsubscribe with one click only if --\(SettingTable.publicURL.name) \
        begins with https
        """
      )
    }
    if smtpTLS == .off, let server = try? relay(), server.user != nil,
      !server.isLoopback
    {
      warnings.append(
        """
        the password for the relay can be read on the way to it; set --\(SettingTable.smtpTLS.name) \
        to \(SMTPSecurity.required.rawValue)
        """
      )
    }
    return warnings
  }

  private var relayOptions: OutboxRelay.Options {
    var options = OutboxRelay.Options()
    options.connectionCount = smtpConnections
    options.lease = smtpTimeout * 3
    options.budgets = MailBudgets(all: mailBudget, perDomain: mailBudgetPerDomain)
    options.policy = RetryPolicy(firstDelay: mailRetry)
    return options
  }

  private func destination(
    from: Mailbox,
    _ publicURL: WebOrigin,
    preparesDirectory: Bool
  ) throws(SettingError) -> MailDelivery.Destination {
    if let mailToDirectory {
      let setting = "--\(SettingTable.mailToDirectory.name)"
      if preparesDirectory || MailFiles.exists(mailToDirectory) {
        try MailFiles.prepareDirectory(mailToDirectory, setting: setting)
      } else {
        try MailFiles.checkParent(of: mailToDirectory, setting: setting)
      }
      return .directory(path: mailToDirectory)
    }
    let server = try relay()
    if let smtpCA {
      try MailFiles.checkAuthorities(smtpCA, setting: "--\(SettingTable.smtpCA.name)")
    }
    do throws(SMTPServerError) {
      return .relay(
        try SMTPSettings(
          server: server,
          security: smtpTLS,
          authorities: smtpCA,
          replyTimeout: smtpTimeout,
          connectionCount: smtpConnections,
          sender: bounceAddress ?? from.address,
          publicHost: publicURL.host
        )
      )
    } catch {
      throw SettingError(
        setting: "--\(SettingTable.smtpTLS.name)",
        value: smtpTLS?.rawValue ?? SettingTable.smtpTLS.defaultText,
        reason: "\(error)"
      )
    }
  }

  private func relay() throws(SettingError) -> SMTPServer {
    do throws(SMTPServerError) {
      return try SMTPServer(
        url: smtpURL?.text ?? "",
        user: smtpUser,
        password: smtpPassword?.text
      )
    } catch {
      switch error {
      case .invalidURL, .implicitTLSIsRequired, .unverifiedTLSWithUser:
        throw SettingError(
          setting: "--\(SettingTable.smtpURL.name)",
          value: HiddenText.mark,
          reason: "\(error)"
        )
      case .passwordWithoutUser:
        throw Self.missing(
          SettingTable.smtpUser,
          for: SettingTable.smtpPassword.name,
          "the user with that password"
        )
      }
    }
  }

  private func wordings(_ identity: MailIdentity) throws(SettingError) -> MailWordings {
    let setting = "--\(SettingTable.templates.name)"
    if let templates { try MailFiles.checkDirectory(templates, setting: setting) }
    do throws(TemplateError) {
      return try MailWordings(
        identity,
        MailTemplates(directory: templates, texts: identity.profile.texts)
      )
    } catch {
      throw SettingError(setting: setting, reason: "\(error)")
    }
  }

  /// Rejects settings that have no effect without a relay or a directory.
  private func rejectSettingsWithoutDestination() throws(SettingError) {
    let names = "--\(SettingTable.smtpURL.name) or --\(SettingTable.mailToDirectory.name)"
    if optIn == .double {
      throw SettingError(
        setting: "--\(SettingTable.optIn.name)",
        value: OptIn.double.rawValue,
        reason: "\(OptIn.double.rawValue) opt-in requires \(names)"
      )
    }
    try rejectSettingsWithoutURL()
  }

  /// Rejects settings of the relay if there is none.
  private func rejectSettingsWithoutURL() throws(SettingError) {
    let settings: [(name: String, isSet: Bool)] = [
      (SettingTable.smtpUser.name, smtpUser != nil),
      (SettingTable.smtpPassword.name, smtpPassword != nil),
      (SettingTable.smtpTLS.name, smtpTLS != nil),
      (SettingTable.smtpCA.name, smtpCA != nil),
    ]
    for (name, isSet) in settings where isSet {
      throw Self.missing(SettingTable.smtpURL, for: name, "the relay to which it applies")
    }
  }

  /// Creates the error about a missing setting that another one requires.
  private static func missing(
    _ row: any SettingRow,
    for name: String,
    _ purpose: String
  ) -> SettingError {
    SettingError(
      setting: "--\(row.name)",
      reason: "--\(name) requires --\(row.name), \(purpose)"
    )
  }
}
