internal import HTTPSignals
internal import MailingList
internal import OperatorService
internal import Security

/// The arguments of `enlist keys`.
enum KeyArguments {
  /// The maximum length of a name in bytes.
  private static let maximumNameBytes = 64

  /// Reads the name of a key; it must be one line of 1 to 64 bytes.
  static func name(_ text: String) throws(SettingError) -> String {
    let isLine = !text.unicodeScalars.contains(where: \.isUnfitForLine)
    guard (1...maximumNameBytes).contains(text.utf8.count), isLine else {
      throw SettingError(
        setting: "--name", value: text,
        reason: "expected one line of 1 to \(maximumNameBytes) bytes")
    }
    return text
  }

  /// Returns the id of a key to revoke, from the id or the whole key, whose secret must not appear
  /// in any output.
  static func id(_ text: String) -> String {
    text.hasPrefix(APIKey.prefix) ? String(text.dropFirst(APIKey.prefix.count).prefix(8)) : text
  }

  /// Reads scopes, at least one.
  static func scopes(_ text: String) throws(SettingError) -> Set<KeyScope> {
    let scopes = StoredKey.scopes(text)
    let unused = KeyScope.allCases.filter { scope in
      scopes?.contains(scope) == true && !OperatorRoutes.scopes.contains(scope)
    }
    if let scopes, unused.isEmpty { return scopes }
    func names(_ scopes: [KeyScope]) -> String {
      scopes.map(\.rawValue).joined(separator: ", ")
    }
    let problem = unused.isEmpty ? "" : "no route uses \(names(unused)); "
    throw SettingError(
      setting: "--scopes",
      value: text,
      reason: """
        \(problem)expected scopes that a route uses, separated by commas: \
        \(names(OperatorRoutes.scopes))
        """
    )
  }

  /// Reads a lifetime from a minute to ten years.
  static func lifetime(_ text: String) throws(SettingError) -> Duration {
    guard let duration = DurationText.duration(of: text),
      (.seconds(60) ... .seconds(3650 * 86_400)).contains(duration)
    else {
      throw SettingError(
        setting: "--expires", value: text,
        reason: "expected a duration such as 12h or 90d, from 1m to 3650d")
    }
    return duration
  }
}
