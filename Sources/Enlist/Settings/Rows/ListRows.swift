internal import HTTPSignals
internal import MailingList

/// The settings of the list: the look and the words of its pages and mails.
struct ListRows: Sendable {
  let listName = Setting.text(
    name: "list-name",
    meaning: "Name of the list in mail and on pages; by default the host of --public-url",
    within: 200)
  let listDescription = Setting.text(
    name: "list-description", meaning: "Sentence about the list on the sign-up page", within: 500)
  let siteURL = Setting.url(
    name: "site-url",
    meaning: "The list's site, to which its name and the pages after confirming and leaving link")
  let logo = Setting.file(
    name: "logo",
    meaning: "Picture of the list on pages, and in mail if it is PNG: PNG or SVG, at most 64 KiB")
  let accentColor = Setting<AccentColor?>(
    name: "accent-color",
    meaning: "Color of buttons and links, darker or lighter where it would be hard to read",
    expected: "none, or a color such as #1f5fa8", convert: { AccentColor($0) })
  let privacyURL = Setting.url(
    name: "privacy-url", meaning: "Page about privacy, linked at the foot of pages and mail")
  let imprintURL = Setting.url(
    name: "imprint-url", meaning: "Page with the legal notice, linked at the foot of pages and mail"
  )
  let consentText = Setting.text(
    name: "consent-text",
    meaning: "Text that visitors must agree to, beside a box; it is stored with the sign-up",
    within: 1000)
  let fields = Setting<[FormField]>(
    name: "fields",
    defaultValue: [],
    defaultText: "none",
    meaning: "Fields of the form beside the address, such as name*,city: * means required",
    expected:
      "none, or at most \(FormField.maximumCount) names of lower-case letters, digits and _",
    convert: { $0 == "none" ? [] : FormField.list($0) }
  )
  let texts = Setting.directory(
    name: "texts",
    meaning: "Directory with own texts of pages and mail: de.json for German, pt.json, …")
  let stylesheet = Setting.file(
    name: "stylesheet", meaning: "CSS file for the pages, after that of the service, at most 64 KiB"
  )
}

extension Setting where Value == String? {
  /// Creates a row for an optional line of text.
  fileprivate static func text(
    name: String, meaning: String, within maximumBytes: Int
  ) -> Setting<String?> {
    Setting(
      name: name, meaning: meaning,
      expected: "none, or at most \(maximumBytes) bytes without control characters",
      convert: { SettingText.line($0, within: maximumBytes) })
  }

  /// Creates a row for an optional URL of a page.
  fileprivate static func url(name: String, meaning: String) -> Setting<String?> {
    Setting(
      name: name, meaning: meaning, expected: "none, or a URL: https://www.example.org/letters",
      convert: { $0.utf8.count <= 2048 && WebOrigin(ofURL: $0) != nil ? $0 : nil })
  }
}
