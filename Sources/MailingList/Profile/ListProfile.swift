/// The look and the words of the list's pages and mails, which its owner chooses.
package struct ListProfile: Sendable {
  /// The picture of the list.
  package struct Logo: Sendable {
    package let bytes: [UInt8]
    package let format: Format

    /// The formats of pictures, by their media types.
    package enum Format: String, Sendable {
      case png = "image/png"
      case svg = "image/svg+xml"
    }

    package init(_ bytes: [UInt8], _ format: Format) {
      self.bytes = bytes
      self.format = format
    }
  }

  /// Empty for a list without a name.
  package var name: String
  package var description: String?
  /// The pages of the list's site, as absolute URLs.
  package var siteURL: String?
  package var privacyURL: String?
  package var imprintURL: String?
  package var logo: Logo?
  /// The color of buttons and links; `nil` for that of the service.
  package var accent: AccentColor?
  /// The text to which a visitor must agree.
  package var consentText: String?
  /// The fields of the form beside the address.
  package var fields: [FormField] = []
  /// CSS for the pages, after that of the service.
  package var stylesheet = ""
  /// The owner's texts by language tag and key, which replace those of the service or add a
  /// language.
  package var texts: [String: [String: String]] = [:]

  package init(name: String = "") {
    self.name = name
  }
}

extension String {
  /// Whether the script of this language tag (BCP 47) is written from right to left.
  package var isRightToLeft: Bool {
    let subtags = lowercased().split(whereSeparator: { $0 == "-" || $0 == "_" })
    guard let language = subtags.first else { return false }
    if let script = subtags.dropFirst().first(where: { $0.count == 4 }) {
      return ["arab", "hebr", "thaa", "syrc", "nkoo", "adlm"].contains(script)
    }
    return [
      "ar", "arc", "ckb", "dv", "fa", "he", "ps", "sd", "syr", "ug", "ur", "yi",
    ].contains(language)
  }
}
