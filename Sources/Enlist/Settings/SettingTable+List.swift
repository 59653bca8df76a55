internal import HTTPSignals
internal import MailingList

/// The settings of the list: the look and the words of its pages and mails.
extension SettingTable {
  static let listName = text(
    name: "list-name",
    meaning: "Name of the list in mail and on pages; by default the host of --public-url",
    within: 200
  )
  static let listDescription = text(
    name: "list-description",
    meaning: "Sentence about the list on the sign-up page",
    within: 500
  )
  static let siteURL = url(
    name: "site-url",
    meaning: "The list's site, to which its name and the pages after confirming and leaving link"
  )
  static let logo = file(
    name: "logo",
    meaning: "Picture of the list on pages, and in mail if it is PNG: PNG or SVG, at most 64 KiB"
  )
  static let accentColor = Setting<AccentColor?>(
    name: "accent-color",
    defaultValue: nil,
    defaultText: "none",
    meaning: "Color of buttons and links, darker or lighter where it would be hard to read",
    expected: "none, or a color such as #1f5fa8",
    convert: { text in
      if text == "none" { return .some(nil) }
      return AccentColor(text).map { .some($0) }
    }
  )
  static let privacyURL = url(
    name: "privacy-url",
    meaning: "Page about privacy, linked at the foot of pages and mail"
  )
  static let imprintURL = url(
    name: "imprint-url",
    meaning: "Page with the legal notice, linked at the foot of pages and mail"
  )
  static let consentText = text(
    name: "consent-text",
    meaning: "Text that visitors must agree to, beside a box; it is stored with the sign-up",
    within: 1000
  )
  static let fields = Setting<[FormField]>(
    name: "fields",
    defaultValue: [],
    defaultText: "none",
    meaning: "Fields of the form beside the address, such as name*,city: * means required",
    expected:
      "none, or at most \(FormField.maximumCount) names of lower-case letters, digits and _",
    convert: { $0 == "none" ? [] : FormField.list($0) }
  )
  static let texts = Setting<String?>(
    name: "texts",
    defaultValue: nil,
    defaultText: "none",
    meaning: "Directory with own texts of pages and mail: de.json for German, pt.json, …",
    expected: "none, or the path of a directory",
    convert: { optional($0) }
  )
  static let stylesheet = file(
    name: "stylesheet",
    meaning: "CSS file for the pages, after that of the service, at most 64 KiB"
  )

  /// The rows of the list, in the order of `--help`.
  static let listRows: [any SettingRow] = [
    listName, listDescription, siteURL, logo, accentColor, privacyURL, imprintURL, consentText,
    fields, texts, stylesheet,
  ]

  /// Creates a row for an optional line of text.
  private static func text(
    name: String,
    meaning: String,
    within maximumBytes: Int
  ) -> Setting<String?> {
    Setting(
      name: name,
      defaultValue: nil,
      defaultText: "none",
      meaning: meaning,
      expected: "none, or at most \(maximumBytes) bytes without control characters",
      convert: { line($0, within: maximumBytes) }
    )
  }

  /// Creates a row for an optional URL of a page.
  private static func url(name: String, meaning: String) -> Setting<String?> {
    Setting(
      name: name,
      defaultValue: nil,
      defaultText: "none",
      meaning: meaning,
      expected: "none, or a URL: https://www.example.org/letters",
      convert: { text in
        if text == "none" { return .some(nil) }
        guard text.utf8.count <= 2048, WebOrigin(ofURL: text) != nil else { return nil }
        return text
      }
    )
  }
}
