internal import ArgumentParser
internal import FoundationEssentials

/// The settings that a command has as flags, each of them text to the argument parser.
///
/// The parser finds the flags of a type by reflection; this type shows it one for each setting.
struct SettingFlags<Group: SettingGroup>: ParsableArguments, CustomReflectable {
  private(set) var texts: [String: String] = [:]

  init() {}

  init(from decoder: any Decoder) throws {
    let flags = try decoder.container(keyedBy: FlagKey.self)
    for name in Group.rows.map(\.name) + ["config"] {
      texts[name] = try flags.decode(Option<String?>.self, forKey: FlagKey(name)).wrappedValue
    }
  }

  var customMirror: Mirror {
    let names = Group.rows.map(\.name) + ["config"]
    return Mirror(self, children: names.compactMap { name in options[name].map { (name, $0) } })
  }
}

/// The flags of all settings, and `--config`.
///
/// Made once: the parser asks for those of a command half a dozen times.
private let options: [String: Option<String?>] = {
  // `--help` fits on a screen; the manual, the completion and `--help-all` have all flags.
  let isHelp = CommandLine.arguments.contains { ["-h", "--help", "help"].contains($0) }
  let rare = isHelp ? ArgumentVisibility.hidden : .default
  func option(
    _ name: String, _ help: String, _ valueName: String? = nil, _ visibility: ArgumentVisibility
  ) -> Option<String?> {
    let help = ArgumentHelp(help, valueName: valueName, visibility: visibility)
    return Option<String?>(name: .customLong(name), help: help)
  }
  var options = [
    "config": option(
      "config", "JSON file with settings; flags and environment variables override it", nil, rare)
  ]
  for row in SettingTable.rows {
    options[row.name] = option(
      row.name, "\(plainText(of: row.help)) (default: \(row.standard))",
      row.name.split(separator: "-").last.map(String.init),
      row.name == "database" ? .default : rare)
  }
  return options
}()

/// Returns a text without the marks of code and the targets of links, which a terminal shows no
/// better than plain text.
///
/// Byte by byte: regular expressions took a twentieth of a start.
private func plainText(of markdown: String) -> String {
  var plain: [UInt8] = []
  var isInTarget = false
  var last: UInt8?
  for byte in markdown.utf8 {
    defer { last = byte }
    if isInTarget {
      isInTarget = byte != UInt8(ascii: ")")
    } else if byte == UInt8(ascii: "("), last == UInt8(ascii: "]") {
      // The text of the link is plain already.
      plain.removeLast()
      if let start = plain.lastIndex(of: UInt8(ascii: "[")) { plain.remove(at: start) }
      isInTarget = true
    } else if byte != UInt8(ascii: "`") {
      plain.append(byte)
    }
  }
  return String(decoding: plain, as: UTF8.self)
}

/// The settings of some commands.
protocol SettingGroup: Sendable {
  static var rows: [any SettingRow] { get }
}

enum AllSettings: SettingGroup {
  static var rows: [any SettingRow] { SettingTable.rows }
}

enum CheckSettings: SettingGroup {
  static var rows: [any SettingRow] { [SettingTable.all.emailLevel] }
}

enum HealthcheckSettings: SettingGroup {
  static var rows: [any SettingRow] {
    [SettingTable.all.listen, SettingTable.all.tlsCertificate, SettingTable.all.tlsKey]
  }
}

/// The settings of a mail: the look of the list, and the way to the relay.
enum MailSettings: SettingGroup {
  static var rows: [any SettingRow] {
    let all = SettingTable.all
    return [
      all.publicURL, all.listName, all.listDescription, all.siteURL, all.logo, all.accentColor,
      all.privacyURL, all.imprintURL, all.consentText, all.fields, all.texts, all.stylesheet,
      all.optIn, all.smtpURL, all.smtpUser, all.smtpPassword, all.smtpTLS, all.smtpCA,
      all.smtpConnections, all.smtpTimeout, all.mailToDirectory, all.mailFrom, all.mailReplyTo,
      all.bounceAddress, all.mailFooter, all.templates, all.mailRetry, all.mailBudget,
      all.mailBudgetPerDomain, all.alarmTo, all.confirmCode,
    ]
  }
}

/// The settings of `copy`, whose arguments are the databases.
enum CopySettings: SettingGroup {
  static var rows: [any SettingRow] {
    [SettingTable.all.databaseTimeout, SettingTable.all.logLevel, SettingTable.all.logFormat]
  }
}

/// The settings of the commands that only open the database of a list.
enum DatabaseSettings: SettingGroup {
  static var rows: [any SettingRow] { [SettingTable.all.database] + CopySettings.rows }
}

/// The settings of the commands that also use the secret of the service.
enum SecretSettings: SettingGroup {
  static var rows: [any SettingRow] {
    DatabaseSettings.rows + [SettingTable.all.secret, SettingTable.all.secretFile]
  }
}

/// The settings of the commands that read people with their fields; `show` takes the flag like
/// `export`, although it shows the stored fields.
enum PeopleSettings: SettingGroup {
  static var rows: [any SettingRow] { SecretSettings.rows + [SettingTable.all.fields] }
}

enum ExportSettings: SettingGroup {
  static var rows: [any SettingRow] { PeopleSettings.rows + [SettingTable.all.publicURL] }
}

/// The settings of the commands that send to a webhook, or take its URL.
enum WebhookSettings: SettingGroup {
  static var rows: [any SettingRow] {
    SecretSettings.rows + [SettingTable.all.webhookNetworks, SettingTable.all.webhookCA]
  }
}

private struct FlagKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
