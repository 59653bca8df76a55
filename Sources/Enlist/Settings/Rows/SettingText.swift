extension Setting where Value == String? {
  /// Creates a row for an optional path of a file.
  static func file(name: String, unset: String = "none", meaning: String) -> Setting<String?> {
    Setting(
      name: name, unset: unset, meaning: meaning, expected: "\(unset), or the path of a file",
      convert: { SettingText.present($0) })
  }

  /// Creates a row for an optional path of a directory.
  static func directory(name: String, meaning: String) -> Setting<String?> {
    Setting(
      name: name, meaning: meaning, expected: "none, or the path of a directory",
      convert: { SettingText.present($0) })
  }
}

/// The texts that settings accept.
enum SettingText {
  /// Returns a text; `nil` if it is empty or contains a null character.
  static func present(_ text: String) -> String? {
    text.isEmpty || text.utf8.contains(0) ? nil : text
  }

  /// Returns the elements of a list with commas, in which `none` is the empty one; `nil` if one of
  /// them is invalid.
  static func list<Element>(_ text: String, _ convert: (Substring) -> [Element]?) -> [Element]? {
    guard text != "none" else { return [] }
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let elements = parts.compactMap { convert($0.drop { $0 == " " }) }
    return elements.count == parts.count ? elements.flatMap(\.self) : nil
  }

  /// Returns a text for people; `nil` if it is empty, too long, or has control characters.
  static func line(
    _ text: String, within maximumBytes: Int, _ allowed: Unicode.Scalar? = nil
  ) -> String? {
    guard text.utf8.count <= maximumBytes else { return nil }
    let isFit = text.unicodeScalars.allSatisfy { scalar in
      if scalar == allowed { return true }
      return switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: false
      default: true
      }
    }
    return isFit ? present(text) : nil
  }
}
