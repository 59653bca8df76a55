internal import Delivery
internal import EmailAddresses
internal import MailingList
internal import Security
internal import SubscribeService

/// The settings of mail and of the secret.
struct MailRows: Sendable {
  let optIn = Setting<OptIn?>(
    name: "opt-in",
    unset: "auto",
    meaning: """
      `double`: the owner confirms by a mail; `single`: a sign-up suffices, and no mail is \
      sent. `auto` is `double` with `--smtp-url` or `--mail-to-directory`, otherwise \
      `single`
      """,
    expected: "one of auto, single, double",
    convert: { OptIn(rawValue: $0) }
  )
  let smtpURL = Setting<HiddenText?>(
    name: "smtp-url",
    meaning: """
      The relay: `smtp://[user:password@]host[:port]` (port 25, or 587 with a user), or \
      `smtps://` (465) for TLS from the first byte
      """,
    expected:
      "none, smtp://[user:password@]host[:port], or smtps://[user:password@]host[:port]",
    convert: { (try? SMTPServer(url: $0)) == nil ? nil : HiddenText($0) }
  )
  let smtpUser = Setting<String?>(
    name: "smtp-user",
    meaning: "User of the relay, not percent-encoded; replaces that of the URL",
    expected: "none, or a user name", convert: { SettingText.present($0) })
  let smtpPassword = Setting<HiddenText?>(
    name: "smtp-password",
    meaning: "Password of the relay, not percent-encoded; replaces that of the URL",
    expected: "none, or a password", isSecret: true,
    convert: { SettingText.present($0).map { HiddenText($0) } })
  let smtpTLS = Setting<SMTPSecurity?>(
    name: "smtp-tls",
    unset: "auto",
    meaning: """
      `required`: encrypted and verified; `opportunistic`: if the relay offers it, not \
      verified, only without a user; `off`. `auto` is `required` with a user or `smtps://`, \
      otherwise `opportunistic`
      """,
    expected: "one of auto, required, opportunistic, off",
    convert: { SMTPSecurity(rawValue: $0) }
  )
  let smtpCA = Setting.file(
    name: "smtp-ca", unset: "system",
    meaning: "PEM file with the only certificate authorities to trust for the relay")
  let smtpConnections = Setting(
    name: "smtp-connections", defaultValue: 2,
    meaning: "Connections to the relay", within: 1...32)
  let smtpTimeout = Setting(
    name: "smtp-timeout", defaultValue: .seconds(60),
    meaning: """
      How long the relay may take for one reply; a whole mail may take 2.5 times as long
      """,
    within: .seconds(1) ... .seconds(600))
  let mailToDirectory = Setting.directory(
    name: "mail-to-directory",
    meaning: "Instead of a relay, for development: one `.eml` file for each mail")
  let mailFrom = Setting.mailbox(
    name: "mail-from",
    meaning: """
      Sender: `ADDRESS` or `NAME <ADDRESS>`, by default with the name of the list. Mail \
      requires it, and `--public-url`
      """)
  let mailReplyTo = Setting.mailbox(
    name: "mail-reply-to", meaning: "Where replies go, if not to the sender")
  let bounceAddress = Setting<EmailAddress?>(
    name: "bounce-address",
    unset: "from",
    meaning: """
      The sender of the envelope, to which bounces go; `from` is `--mail-from`
      """,
    expected: "from, or an ASCII address: bounces@example.org",
    convert: { text in
      guard let mailbox = Mailbox(text), mailbox.name == nil else { return nil }
      return mailbox.address
    }
  )
  let mailFooter = Setting<String?>(
    name: "mail-footer",
    meaning: """
      Text at the end of each mail: a postal address or imprint, where the law asks for one
      """,
    expected: "none, or at most 1000 bytes without control characters except line feeds",
    convert: { SettingText.line($0, within: 1000, "\n") })
  let templates = Setting.directory(
    name: "templates",
    meaning: "Directory with [templates](mail.md#templates) of mails")
  let mailRetry = Setting(
    name: "mail-retry", defaultValue: .seconds(60),
    meaning: """
      Longest time to the second attempt; it doubles up to 4 hours, for 3 days
      """,
    within: .milliseconds(10)...RetryPolicy.maximumDelay)
  let mailBudget = Setting.budget(
    name: "mail-budget", count: 500,
    meaning: """
      Mails without a confirmation at which further ones are [held](mail.md#budgets); or \
      `off`
      """)
  let mailBudgetPerDomain = Setting.budget(
    name: "mail-budget-per-domain", count: 20,
    meaning: "The same for each domain, except those of large mail providers")
  let alarmTo = Setting.mailbox(
    name: "alarm-to",
    meaning: "Who gets a mail when `--mail-budget` is spent, at most once in 6 hours")
  let confirmCode = Setting<Switch>(
    name: "confirm-code", defaultValue: .on,
    meaning: """
      Whether mails contain a code to type instead of opening the link: `on` or `off`
      """)
  let confirmedEvent = Setting<Switch>(
    name: "confirmed-event", defaultValue: .on,
    meaning: """
      Whether the stream of an execution with `?until=confirmed` reports the confirmation: \
      `on` or `off`
      """)
  let consentAddress = Setting<ConsentAddress>(
    name: "consent-address",
    defaultValue: .truncated,
    meaning: """
      The address of the client that is kept with a consent: `truncated` to /24 or /48, \
      `off` or `full`
      """
  )
  let secret = Setting<Keyring?>(
    name: "secret", unset: "generated",
    meaning: """
      Base64 of 32 to 64 bytes from which [links and codes are derived](mail.md#secret), or \
      `NEW,OLD`; by default made at the first start and kept in the database
      """,
    expected: "generated, or base64 of 32 to 64 bytes, or NEW,OLD", isSecret: true,
    convert: { try? Keyring($0) })
  let secretFile = Setting.file(
    name: "secret-file", meaning: "File that contains the value of `--secret`")
}

extension Setting where Value == MailBudget? {
  /// Creates a row for a budget of a day by default.
  fileprivate static func budget(name: String, count: Int, meaning: String) -> Setting<MailBudget?>
  {
    Setting(
      name: name, defaultValue: MailBudget(count: count, per: .seconds(86_400)), unset: "off",
      defaultText: "\(count)/1d", meaning: meaning,
      expected: "off, or a number from 1 to 1000000 and a duration from 1h to 7d: \(count)/1d",
      convert: { MailBudget($0) })
  }
}

extension Setting where Value == Mailbox? {
  /// Creates a row for an optional sender or recipient.
  fileprivate static func mailbox(name: String, meaning: String) -> Setting<Mailbox?> {
    Setting(
      name: name, meaning: meaning,
      expected: "none, ADDRESS, or NAME <ADDRESS>, with an ASCII address: List <list@example.org>",
      convert: { Mailbox($0) })
  }
}
