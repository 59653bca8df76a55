/// The password that a setting's value may hold, and that nobody is to see.
enum URLPassword {
  /// Replaces the password of a URL by `***`, also of one that is malformed.
  ///
  /// A value that is shown is often one that was rejected, so this does not rely on it being a URL:
  /// whatever may be a password is hidden, rather too much than too little.
  ///
  /// - Parameter text: The value of any setting.
  /// - Returns: The value without the password of `user:password@` and of `password=`.
  static func hidden(in text: String) -> String {
    hidingParameters(in: hidingUserInfo(in: text))
  }

  private static let mark = "***"

  /// Hides what is between the first colon and the last at sign behind the scheme.
  ///
  /// The authority would end at the first slash, question mark or number sign, but a password that
  /// is not percent-encoded may have those, and at signs too.
  private static func hidingUserInfo(in text: String) -> String {
    guard let at = text.lastIndex(of: "@") else { return text }
    let start = startOfAuthority(in: text)
    guard start < at else { return text }
    let user = text[start..<at]
    // A colon that is percent-encoded was meant to separate as well, more likely than not.
    let colons = [":", "%3A", "%3a"].compactMap { user.firstRange(of: $0)?.lowerBound }
    guard let colon = colons.min() else { return text }
    return text[..<colon] + ":" + mark + text[at...]
  }

  private static func startOfAuthority(in text: String) -> String.Index {
    if let scheme = text.firstRange(of: "://") { return scheme.upperBound }
    // A path may have colons and at signs of its own, and never has a password.
    if ["sqlite:", "unix:"].contains(where: { text.hasPrefix($0) }) { return text.endIndex }
    // What has no scheme, or a malformed one: the user may go as well.
    return text.startIndex
  }

  /// Hides what follows `password=`, as a parameter of the query or a word of `key=value` pairs.
  private static func hidingParameters(in text: String) -> String {
    let lowercased = text.lowercased()
    // Where lower case has another length the indices would not fit.
    guard lowercased.utf8.count == text.utf8.count,
      let name = lowercased.firstRange(of: "password=")
    else { return text }
    let offset = lowercased.utf8.distance(from: lowercased.startIndex, to: name.upperBound)
    let start = text.utf8.index(text.startIndex, offsetBy: offset)
    // Between words there are spaces, which a value in quotes may have as well.
    let end = text.contains("://") ? text[start...].firstIndex(of: "&") : nil
    guard let end else { return text[..<start] + mark }
    return text[..<start] + mark + hidingParameters(in: String(text[end...]))
  }
}
