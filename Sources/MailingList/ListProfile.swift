internal import Glibc

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

/// A field of the form beside the address, such as `name`.
package struct FormField: Hashable, Sendable {
  /// At most 32 lower-case letters, digits and underscores, the first a letter.
  package let name: String
  package let isRequired: Bool

  /// The maximum number of fields.
  package static let maximumCount = 8
  /// The maximum number of characters of a value.
  package static let maximumCharacters = 200
  /// The names of the service's own fields, and of what `enlist export`, `enlist show` and the API
  /// write of a person.
  package static let reservedNames: Set<String> = [
    "email", "consent", "consents", "locale", "next", "code", "id", "address", "state",
    "created_at", "confirmed_at", "unsubscribed_at", "reason", "unsubscribe_url",
    "fields", "suppressed_at", "mails",
  ]

  package init(name: String, isRequired: Bool = false) {
    self.name = name
    self.isRequired = isRequired
  }

  /// Parses a name, with `*` after that of a required field; `nil` if it is invalid.
  package init?(_ text: some StringProtocol) {
    isRequired = text.hasSuffix("*")
    name = String(isRequired ? text.dropLast() : text.dropLast(0))
    guard (1...32).contains(name.utf8.count), !Self.reservedNames.contains(name),
      name.utf8.first.map({ Self.letters.contains($0) }) == true,
      name.utf8.allSatisfy({ Self.letters.contains($0) || Self.others.contains($0) })
    else { return nil }
  }

  /// Parses a list, separated by commas; `nil` if a name is invalid or there are too many.
  package static func list(_ text: String) -> [FormField]? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let fields = parts.compactMap { FormField($0) }
    guard fields.count == parts.count, fields.count <= maximumCount,
      Set(fields.map(\.name)).count == fields.count
    else { return nil }
    return fields
  }

  /// Whether a value is short enough and has no control characters.
  package static func accepts(_ value: String) -> Bool {
    value.count <= maximumCharacters
      && !value.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }

  /// The key of the owner's text for its label.
  package var labelKey: String { "field.\(name)" }

  private static let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
  private static let others = Set("0123456789_".utf8)
}

/// The color of buttons and links (sRGB).
package struct AccentColor: Hashable, Sendable {
  private let red: Int
  private let green: Int
  private let blue: Int

  /// The smallest contrast of text that WCAG 2.1 allows (1.4.3).
  package static let minimumContrast = 4.5

  private init(_ red: Int, _ green: Int, _ blue: Int) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// Parses `#RRGGBB`; `nil` if the text is invalid.
  package init?(_ text: String) {
    let digits = text.dropFirst()
    guard text.hasPrefix("#"), digits.utf8.count == 6,
      digits.allSatisfy({ $0.isASCII && $0.isHexDigit }), let value = Int(digits, radix: 16)
    else { return nil }
    self.init(value >> 16, value >> 8 & 0xFF, value & 0xFF)
  }

  /// The color as `#rrggbb`.
  package var text: String {
    "#" + String(0x100_0000 | red << 16 | green << 8 | blue, radix: 16).dropFirst()
  }

  /// Black or white, whichever has more contrast with the color.
  package var onAccent: AccentColor {
    let (black, white) = (AccentColor(0, 0, 0), AccentColor(255, 255, 255))
    return contrast(with: black) > contrast(with: white) ? black : white
  }

  /// The color for light grounds: darker, if it would be hard to read there.
  package var onLight: AccentColor { readable(on: AccentColor(0xFB, 0xFA, 0xF8), toward: 0) }

  /// The color for dark grounds: lighter, if it would be hard to read there.
  package var onDark: AccentColor { readable(on: AccentColor(0x1F, 0x1F, 0x1E), toward: 255) }

  /// Mixes the color with black or white until its contrast suffices.
  private func readable(on ground: AccentColor, toward end: Int) -> AccentColor {
    var result = self
    var step = 0
    while result.contrast(with: ground) < Self.minimumContrast, step < 64 {
      step += 1
      func mixed(_ value: Int) -> Int { value + (end - value) * step / 64 }
      result = AccentColor(mixed(red), mixed(green), mixed(blue))
    }
    return result
  }

  /// Returns the contrast with another color, from 1 to 21 (WCAG 2.1).
  package func contrast(with other: AccentColor) -> Double {
    let (one, two) = (luminance, other.luminance)
    return (max(one, two) + 0.05) / (min(one, two) + 0.05)
  }

  /// The relative luminance (WCAG 2.1).
  private var luminance: Double {
    func linear(_ value: Int) -> Double {
      let share = Double(value) / 255
      guard share > 0.04045 else { return share / 12.92 }
      return pow((share + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  }
}
