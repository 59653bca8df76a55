extension EmailAddress {
  /// The form in which an SMTP command has to name the mailbox (RFC 5321 §4.1.2).
  ///
  /// ``normalized``, but for the mailboxes of two carriers whose dots are doubled or last: these are
  /// no dot-atoms, and are quoted.
  package var smtpMailbox: String {
    hasLegacyDots ? "\"\(local)\"@\(asciiDomain)" : normalized
  }

  /// Whether dots stand in the local part where RFC 5321 has none.
  var hasLegacyDots: Bool {
    // A dot before the `@` or before another one.
    zip(local.utf8, local.utf8.dropFirst()).contains { $0 == ASCIIByte.dot && $1 == ASCIIByte.dot }
      || local.utf8.last == ASCIIByte.dot
  }

  /// A guess at the person behind several addresses, for limits and against abuse only.
  ///
  /// Made from ``key`` by what providers are known to ignore: a tag after `+`, dots at Gmail, and the
  /// like. It is never an identity, and never shown: two people can have one.
  package var canonicalKey: String {
    let name = key.utf8.prefix { $0 != UInt8(ascii: "@") }
    let base = Self.text(of: name.prefix { $0 != UInt8(ascii: "+") }, or: name)
    func without(_ ignored: String) -> String {
      Self.text(of: base.utf8.filter { !ignored.utf8.contains($0) }, or: base.utf8)
    }
    switch asciiDomain {
    case "gmail.com", "googlemail.com": return "\(without("."))@gmail.com"
    case "proton.me", "protonmail.com", "pm.me": return "\(without(".-_"))@proton.me"
    case "icloud.com", "me.com", "mac.com": return "\(base)@icloud.com"
    case "ya.ru": return "\(base.replacing("-", with: "."))@yandex.ru"
    default: break
    }
    switch KnownDomains.brand(ofNationalDomain: asciiDomain) {
    case "yandex": return "\(base.replacing("-", with: "."))@yandex.ru"
    case "yahoo":
      return
        "\(Self.text(of: base.utf8.prefix { $0 != ASCIIByte.hyphen }, or: base.utf8))@\(asciiDomain)"
    default: return "\(base)@\(asciiDomain)"
    }
  }

  /// Bytes as a text, unless there are none left.
  private static func text(
    of bytes: some Collection<UInt8>,
    or original: some Collection<UInt8>
  ) -> String {
    bytes.isEmpty
      ? String(decoding: original, as: UTF8.self) : String(decoding: bytes, as: UTF8.self)
  }
}
