internal import ArgumentParser

struct MailOptions: SettingOptions {
  @Option(help: SettingTable.optIn.help)
  var optIn: String?
  @Option(name: .customLong("smtp-url"), help: SettingTable.smtpURL.help)
  var smtpURL: String?
  @Option(help: SettingTable.smtpUser.help)
  var smtpUser: String?
  @Option(help: SettingTable.smtpPassword.help)
  var smtpPassword: String?
  @Option(name: .customLong("smtp-tls"), help: SettingTable.smtpTLS.help)
  var smtpTLS: String?
  @Option(name: .customLong("smtp-ca"), help: SettingTable.smtpCA.help)
  var smtpCA: String?
  @Option(help: SettingTable.smtpConnections.help)
  var smtpConnections: String?
  @Option(help: SettingTable.smtpTimeout.help)
  var smtpTimeout: String?
  @Option(help: SettingTable.mailToDirectory.help)
  var mailToDirectory: String?
  @Option(help: SettingTable.mailFrom.help)
  var mailFrom: String?
  @Option(help: SettingTable.mailReplyTo.help)
  var mailReplyTo: String?
  @Option(help: SettingTable.bounceAddress.help)
  var bounceAddress: String?
  @Option(help: SettingTable.mailFooter.help)
  var mailFooter: String?
  @Option(help: SettingTable.templates.help)
  var templates: String?
  @Option(help: SettingTable.mailRetry.help)
  var mailRetry: String?
  @Option(help: SettingTable.mailBudget.help)
  var mailBudget: String?
  @Option(help: SettingTable.mailBudgetPerDomain.help)
  var mailBudgetPerDomain: String?
  @Option(help: SettingTable.alarmTo.help)
  var alarmTo: String?
  @Option(help: SettingTable.confirmCode.help)
  var confirmCode: String?

  var given: [String: String?] {
    [
      SettingTable.optIn.name: optIn,
      SettingTable.smtpURL.name: smtpURL,
      SettingTable.smtpUser.name: smtpUser,
      SettingTable.smtpPassword.name: smtpPassword,
      SettingTable.smtpTLS.name: smtpTLS,
      SettingTable.smtpCA.name: smtpCA,
      SettingTable.smtpConnections.name: smtpConnections,
      SettingTable.smtpTimeout.name: smtpTimeout,
      SettingTable.mailToDirectory.name: mailToDirectory,
      SettingTable.mailFrom.name: mailFrom,
      SettingTable.mailReplyTo.name: mailReplyTo,
      SettingTable.bounceAddress.name: bounceAddress,
      SettingTable.mailFooter.name: mailFooter,
      SettingTable.templates.name: templates,
      SettingTable.mailRetry.name: mailRetry,
      SettingTable.mailBudget.name: mailBudget,
      SettingTable.mailBudgetPerDomain.name: mailBudgetPerDomain,
      SettingTable.alarmTo.name: alarmTo,
      SettingTable.confirmCode.name: confirmCode,
    ]
  }
}

/// The settings of the data that the service stores and reports about confirmations.
struct ConsentOptions: SettingOptions {
  @Option(help: SettingTable.confirmedEvent.help)
  var confirmedEvent: String?
  @Option(help: SettingTable.consentAddress.help)
  var consentAddress: String?

  var given: [String: String?] {
    [
      SettingTable.confirmedEvent.name: confirmedEvent,
      SettingTable.consentAddress.name: consentAddress,
    ]
  }
}

struct SecretOptions: SettingOptions {
  @Option(help: SettingTable.secret.help)
  var secret: String?
  @Option(help: SettingTable.secretFile.help)
  var secretFile: String?

  var given: [String: String?] {
    [SettingTable.secret.name: secret, SettingTable.secretFile.name: secretFile]
  }
}

struct PublicURLOptions: SettingOptions {
  @Option(name: .customLong("public-url"), help: SettingTable.publicURL.help)
  var publicURL: String?

  var given: [String: String?] { [SettingTable.publicURL.name: publicURL] }
}
