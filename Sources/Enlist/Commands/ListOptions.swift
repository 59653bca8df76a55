internal import ArgumentParser

struct ListOptions: SettingOptions {
  @Option(help: SettingTable.listName.help)
  var listName: String?
  @Option(help: SettingTable.listDescription.help)
  var listDescription: String?
  @Option(name: .customLong("site-url"), help: SettingTable.siteURL.help)
  var siteURL: String?
  @Option(help: SettingTable.logo.help)
  var logo: String?
  @Option(help: SettingTable.accentColor.help)
  var accentColor: String?
  @Option(name: .customLong("privacy-url"), help: SettingTable.privacyURL.help)
  var privacyURL: String?
  @Option(name: .customLong("imprint-url"), help: SettingTable.imprintURL.help)
  var imprintURL: String?
  @Option(help: SettingTable.consentText.help)
  var consentText: String?
  @OptionGroup var form: FormOptions
  @Option(help: SettingTable.texts.help)
  var texts: String?
  @Option(help: SettingTable.stylesheet.help)
  var stylesheet: String?

  var given: [String: String?] {
    form.given.merging([
      SettingTable.listName.name: listName,
      SettingTable.listDescription.name: listDescription,
      SettingTable.siteURL.name: siteURL,
      SettingTable.logo.name: logo,
      SettingTable.accentColor.name: accentColor,
      SettingTable.privacyURL.name: privacyURL,
      SettingTable.imprintURL.name: imprintURL,
      SettingTable.consentText.name: consentText,
      SettingTable.texts.name: texts,
      SettingTable.stylesheet.name: stylesheet,
    ]) { $1 }
  }
}

struct FormOptions: SettingOptions {
  @Option(help: SettingTable.fields.help)
  var fields: String?

  var given: [String: String?] { [SettingTable.fields.name: fields] }
}
