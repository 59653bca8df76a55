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
    var children = Group.rows.map { row in
      let text = "\(plainHelp[row.name] ?? "") (default: \(row.standard))"
      let valueName = row.name.split(separator: "-").last.map(String.init)
      return Self.flag(row.name, text, valueName, row.name == "database" ? .default : Self.rare)
    }
    let config = "JSON file with settings; flags and environment variables override it"
    children.append(Self.flag("config", config, nil, Self.rare))
    return Mirror(self, children: children)
  }

  private static func flag(
    _ name: String, _ help: String, _ valueName: String?, _ visibility: ArgumentVisibility
  ) -> Mirror.Child {
    let help = ArgumentHelp(help, valueName: valueName, visibility: visibility)
    return (name, Option<String?>(name: .customLong(name), help: help))
  }

  /// `--help` fits on a screen; the manual, the completion and `--help-all` have all flags.
  private static var rare: ArgumentVisibility {
    CommandLine.arguments.contains { ["-h", "--help", "help"].contains($0) } ? .hidden : .default
  }
}

/// The help of each setting without what a terminal shows no better than plain text: the marks of
/// code, and the targets of links.
///
/// Made once, because the parser makes each flag many times.
private let plainHelp: [String: String] = SettingTable.rows.reduce(into: [:]) { help, row in
  let text = row.help.replacing("`", with: "")
  help[row.name] =
    text.contains("](") ? text.replacing(/\[([^\[\]]+)\]\([^)]*\)/) { "\($0.1)" } : text
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

/// The settings of the commands that work on a list.
enum ListSettings: SettingGroup {
  static var rows: [any SettingRow] {
    let all = SettingTable.all
    return [
      all.database, all.databaseTimeout, all.secret, all.secretFile, all.publicURL, all.fields,
      all.webhookNetworks, all.webhookCA, all.logLevel, all.logFormat,
    ]
  }
}

private struct FlagKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
