internal import HTTPSignals
internal import MailingList

/// The settings of the list: the look and the words of its pages and mails.
struct ListRows: Sendable {
  let listName = Setting.text(
    name: "list-name",
    meaning: """
      Name of the list in mails and on pages; by default the host of `--public-url`
      """,
    within: 200)
  let listDescription = Setting.text(
    name: "list-description",
    meaning: """
      The sentence below the name on the sign-up page, also for sites that show a link to \
      the page
      """, within: 500)
  let siteURL = Setting.url(
    name: "site-url",
    meaning: """
      The site of the list: the name links to it, and so do the pages after confirming and \
      leaving
      """)
  let logo = Setting.file(
    name: "logo",
    meaning: """
      PNG or SVG file of at most 64 KiB, on pages. Mails show a PNG, by a link, if \
      `--public-url` begins with `https`
      """)
  let accentColor = Setting<AccentColor?>(
    name: "accent-color",
    meaning: """
      Color of buttons and links, such as `#1f5fa8`. It is made darker on light pages and \
      lighter on dark ones where its contrast would be below 4.5:1
      """,
    expected: "none, or a color such as #1f5fa8", convert: { AccentColor($0) })
  let privacyURL = Setting.url(
    name: "privacy-url", meaning: "Page about privacy, linked at the foot of every page and mail")
  let imprintURL = Setting.url(
    name: "imprint-url", meaning: "Page with the legal notice, linked there as well"
  )
  let consentText = Setting.text(
    name: "consent-text",
    meaning: """
      Text beside a box that visitors must check, on the sign-up page and in embedded forms \
      without a field `consent`; it is stored with the sign-up
      """,
    within: 1000)
  let fields = Setting<[FormField]>(
    name: "fields",
    defaultValue: [],
    defaultText: "none",
    meaning: """
      Up to \(FormField.maximumCount) [fields](embedding.md#fields) beside the address, such \
      as `name*,city`; `*` makes one required
      """,
    expected:
      "none, or at most \(FormField.maximumCount) names of lower-case letters, digits and _",
    convert: { $0 == "none" ? [] : FormField.list($0) }
  )
  let texts = Setting.directory(
    name: "texts",
    meaning: """
      Directory with [texts of your own](embedding.md#your-own-texts): `de.json` replaces \
      German ones, `pt.json` adds a language
      """)
  let stylesheet = Setting.file(
    name: "stylesheet",
    meaning: """
      CSS file of at most 64 KiB for the pages, after that of the service; it can load \
      nothing from other sites
      """
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
