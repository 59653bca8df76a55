/// A field of the form beside the address, such as `name`.
package struct FormField: Hashable, Sendable {
  /// At most 32 lower-case letters, digits and underscores, the first a letter.
  package let name: String
  package let isRequired: Bool

  /// The maximum number of fields.
  package static let maximumCount = 8
  /// The maximum number of characters of a value.
  package static let maximumCharacters = 200
  /// The names of the service's own fields, and of the columns of an export.
  package static let reservedNames: Set<String> = [
    "email", "consent", "consents", "locale", "next", "code", "id", "address", "state",
    "created_at", "confirmed_at", "unsubscribed_at", "reason", "unsubscribe_url",
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
