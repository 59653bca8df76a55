internal import Delivery
internal import EmailAddresses
internal import MailingList
internal import Secrets
internal import SubscribeService

/// The settings of mail and of the secret.
extension SettingTable {
  static let optIn = Setting<OptIn?>(
    name: "opt-in",
    defaultValue: nil,
    defaultText: "auto",
    meaning:
      "Whether owners confirm by mail: double or single; auto is double if mail can be sent",
    expected: "one of auto, single, double",
    convert: { text in
      if text == "auto" { return .some(nil) }
      return OptIn(rawValue: text).map { .some($0) }
    }
  )
  static let smtpURL = Setting<HiddenText?>(
    name: "smtp-url",
    defaultValue: nil,
    defaultText: "none",
    meaning: "Relay that sends mail: smtp://[user:password@]host[:port], or smtps:// for TLS",
    expected:
      "none, smtp://[user:password@]host[:port], or smtps://[user:password@]host[:port]",
    convert: { text in
      if text == "none" { return .some(nil) }
      return (try? SMTPServer(url: text)).map { _ in .some(HiddenText(text)) }
    }
  )
  static let smtpUser = Setting<String?>(
    name: "smtp-user",
    defaultValue: nil,
    defaultText: "none",
    meaning: "User name for the relay, not percent-encoded; replaces that of --smtp-url",
    expected: "none, or a user name",
    convert: { optional($0) }
  )
  static let smtpPassword = Setting<HiddenText?>(
    name: "smtp-password",
    defaultValue: nil,
    defaultText: "none",
    meaning: "Password for the relay, not percent-encoded; replaces that of --smtp-url",
    expected: "none, or a password",
    convert: { optional($0).map { $0.map { HiddenText($0) } } },
    isSecret: true
  )
  static let smtpTLS = Setting<SMTPSecurity?>(
    name: "smtp-tls",
    defaultValue: nil,
    defaultText: "auto",
    meaning:
      "TLS to the relay: required, opportunistic (not verified) or off; auto requires it for a user",
    expected: "one of auto, required, opportunistic, off",
    convert: { text in
      if text == "auto" { return .some(nil) }
      return SMTPSecurity(rawValue: text).map { .some($0) }
    }
  )
  static let smtpCA = Setting<String?>(
    name: "smtp-ca",
    defaultValue: nil,
    defaultText: "system",
    meaning: "PEM file with the only certificate authorities to trust for the relay, or system",
    expected: "system, or the path of a file",
    convert: { optional($0, unset: "system") }
  )
  static let smtpConnections = Setting(
    name: "smtp-connections",
    defaultValue: 2,
    meaning: "Maximum number of connections to the relay",
    within: 1...32
  )
  static let smtpTimeout = Setting(
    name: "smtp-timeout",
    defaultValue: .seconds(60),
    meaning: "How long the relay may take for one reply; a whole mail may take 2.5 times as long",
    within: .seconds(1) ... .seconds(600)
  )
  static let mailToDirectory = Setting<String?>(
    name: "mail-to-directory",
    defaultValue: nil,
    defaultText: "none",
    meaning: "Directory that receives mail as .eml files instead of a relay, for development",
    expected: "none, or the path of a directory",
    convert: { optional($0) }
  )
  static let mailFrom = mailbox(
    name: "mail-from",
    meaning: "Sender of mail; without a name it gets that of the list. Required for mail"
  )
  static let mailReplyTo = mailbox(
    name: "mail-reply-to",
    meaning: "Where replies to mail go, if not to the sender"
  )
  static let bounceAddress = Setting<EmailAddress?>(
    name: "bounce-address",
    defaultValue: nil,
    defaultText: "from",
    meaning: "Where relays report mail that cannot be delivered: an address, or from (the sender)",
    expected: "from, or an ASCII address: bounces@example.org",
    convert: { text in
      if text == "from" { return .some(nil) }
      guard let mailbox = Mailbox(text), mailbox.name == nil else { return nil }
      return mailbox.address
    }
  )
  static let mailFooter = Setting<String?>(
    name: "mail-footer",
    defaultValue: nil,
    defaultText: "none",
    meaning: "Text at the end of each mail, such as a postal address",
    expected: "none, or at most 1000 bytes without control characters except line feeds",
    convert: { line($0, within: 1000, "\n") }
  )
  static let templates = Setting<String?>(
    name: "templates",
    defaultValue: nil,
    defaultText: "none",
    meaning: "Directory with templates of mail: confirm.html, confirm.de.txt, already.html, …",
    expected: "none, or the path of a directory",
    convert: { optional($0) }
  )
  static let mailRetry = Setting(
    name: "mail-retry",
    defaultValue: .seconds(60),
    meaning: "Longest time to the second attempt to send a mail; it doubles up to 4h, for 3 days",
    within: .milliseconds(10)...RetryPolicy.maximumDelay
  )
  static let mailBudget = budget(
    name: "mail-budget",
    count: 500,
    meaning: "Mails without a confirmation at which further ones are held, or off"
  )
  static let mailBudgetPerDomain = budget(
    name: "mail-budget-per-domain",
    count: 20,
    meaning: "The same for each domain, except those of large mail providers"
  )
  static let alarmTo = mailbox(
    name: "alarm-to",
    meaning: "Who gets a mail when --mail-budget is spent, at most once in 6h"
  )
  static let confirmCode = Setting<Switch>(
    name: "confirm-code",
    defaultValue: .on,
    meaning: "Whether mail contains a code to type instead of opening the link: on or off"
  )
  static let confirmedEvent = Setting<Switch>(
    name: "confirmed-event",
    defaultValue: .on,
    meaning: "Whether an execution's event stream reports the confirmation: on or off"
  )
  static let consentAddress = Setting<ConsentAddress>(
    name: "consent-address",
    defaultValue: .truncated,
    meaning:
      "Client address kept with a consent: truncated (to /24 or /48), off or full"
  )
  static let secret = Setting<Keyring?>(
    name: "secret",
    defaultValue: nil,
    defaultText: "generated",
    meaning: "Secret from which links and codes are derived; by default one in the database",
    expected: "generated, or base64 of 32 to 64 bytes, or NEW,OLD",
    convert: { text in
      if text == "generated" { return .some(nil) }
      return (try? Keyring(text)).map { .some($0) }
    },
    isSecret: true
  )
  static let secretFile = file(
    name: "secret-file",
    meaning: "File that contains the value of --secret"
  )

  /// The rows of mail and of the secret, in the order of `--help`.
  static let mailRows: [any SettingRow] = [
    optIn, smtpURL, smtpUser, smtpPassword, smtpTLS, smtpCA, smtpConnections, smtpTimeout,
    mailToDirectory, mailFrom, mailReplyTo, bounceAddress, mailFooter, templates,
    mailRetry, mailBudget, mailBudgetPerDomain, alarmTo, confirmCode, confirmedEvent,
    consentAddress, secret, secretFile,
  ]

  /// Creates a row for a budget of a day by default.
  private static func budget(
    name: String,
    count: Int,
    meaning: String
  ) -> Setting<MailBudget?> {
    Setting(
      name: name,
      defaultValue: MailBudget(count: count, per: .seconds(86_400)),
      defaultText: "\(count)/1d",
      meaning: meaning,
      expected: "off, or a number from 1 to 1000000 and a duration from 1h to 7d: \(count)/1d",
      convert: { text in
        if text == "off" { return .some(nil) }
        return MailBudget(text).map { .some($0) }
      }
    )
  }

  /// Creates a row for an optional sender or recipient.
  private static func mailbox(name: String, meaning: String) -> Setting<Mailbox?> {
    Setting(
      name: name,
      defaultValue: nil,
      defaultText: "none",
      meaning: meaning,
      expected: "none, ADDRESS, or NAME <ADDRESS>, with an ASCII address: List <list@example.org>",
      convert: { text in
        if text == "none" { return .some(nil) }
        return Mailbox(text).map { .some($0) }
      }
    )
  }

  /// Converts text that may be unset; `nil` if it is empty or contains a null character.
  static func optional(_ text: String, unset: String = "none") -> String?? {
    if text == unset { return .some(nil) }
    // Not a conditional expression: its `nil` would be that of the inner type.
    guard !text.isEmpty, !text.utf8.contains(0) else { return nil }
    return text
  }

  /// Converts text for people that may be unset; `nil` if it is too long or has controls.
  static func line(
    _ text: String,
    within maximumBytes: Int,
    _ allowed: Unicode.Scalar? = nil
  ) -> String?? {
    guard text.utf8.count <= maximumBytes else { return nil }
    let isFit = text.unicodeScalars.allSatisfy { scalar in
      if scalar == allowed { return true }
      return switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: false
      default: true
      }
    }
    return isFit ? optional(text) : nil
  }
}
