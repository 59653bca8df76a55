/// Text that may contain a password, and is never shown.
struct HiddenText: Hashable, Sendable {
  /// The text that replaces a secret.
  static let mark = "***"

  let text: String

  init(_ text: String) { self.text = text }
}

extension HiddenText: CustomStringConvertible, CustomReflectable {
  var description: String { Self.mark }

  /// Without children, so that no dump contains the text.
  var customMirror: Mirror { Mirror(self, children: []) }
}

/// The password in a setting's value, which must not appear in any output.
enum URLPassword {
  /// Replaces the password of a URL with `***`, even if the URL is malformed.
  ///
  /// A value in a message was often rejected, so this function does not rely on a valid URL: it
  /// hides everything that may be a password, in `user:password@` and in `password=`, and prefers
  /// to hide too much.
  static func hidden(in text: String) -> String { hidingParameters(in: hidingUserInfo(in: text)) }

  /// Hides the text between the first colon after the scheme and the last at sign.
  ///
  /// In a valid URL, the authority ends at the first slash, question mark or number sign, but a
  /// password without percent-encoding may contain these characters, and at signs.
  private static func hidingUserInfo(in text: String) -> String {
    guard let at = text.lastIndex(of: "@") else { return text }
    let start = startOfAuthority(in: text)
    guard start < at else { return text }
    let user = text[start..<at]
    // A percent-encoded colon was most likely also meant as a separator.
    let colons = [":", "%3A", "%3a"].compactMap { user.firstRange(of: $0)?.lowerBound }
    guard let colon = colons.min() else { return text }
    return text[..<colon] + ":" + HiddenText.mark + text[at...]
  }

  private static func startOfAuthority(in text: String) -> String.Index {
    if let scheme = text.firstRange(of: "://") { return scheme.upperBound }
    // A path may contain colons and at signs, but never a password.
    if ["sqlite:", "unix:"].contains(where: { text.hasPrefix($0) }) { return text.endIndex }
    // Without a valid scheme, the user name may also be hidden.
    return text.startIndex
  }

  /// Hides the value of `password=` in the query, or in a list of `key=value` pairs.
  private static func hidingParameters(in text: String) -> String {
    let lowercased = text.lowercased()
    // The indices only match if lowercasing keeps the length.
    guard lowercased.utf8.count == text.utf8.count,
      let name = lowercased.firstRange(of: "password=")
    else { return text }
    let offset = lowercased.utf8.distance(from: lowercased.startIndex, to: name.upperBound)
    let start = text.utf8.index(text.startIndex, offsetBy: offset)
    // Pairs are separated by spaces, but a quoted value may also contain spaces: hide the rest.
    let end = text.contains("://") ? text[start...].firstIndex(of: "&") : nil
    guard let end else { return text[..<start] + HiddenText.mark }
    return text[..<start] + HiddenText.mark + hidingParameters(in: String(text[end...]))
  }
}
