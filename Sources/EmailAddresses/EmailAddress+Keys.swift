extension EmailAddress {
  /// The mailbox in the form that SMTP commands require (RFC 5321 §4.1.2).
  ///
  /// This is ``normalized``, except for mailboxes of two legacy carriers with doubled or trailing
  /// dots: their local parts are not dot-atoms, so they are quoted.
  package var smtpMailbox: String {
    hasLegacyDots ? "\"\(local)\"@\(asciiDomain)" : normalized
  }

  /// Whether the local part has dots where RFC 5321 does not allow them.
  var hasLegacyDots: Bool {
    // A dot before the `@` or before another one.
    zip(local.utf8, local.utf8.dropFirst()).contains { $0 == .dot && $1 == .dot }
      || local.utf8.last == .dot
  }

  /// Whether the domain is that of a large mail provider, whose addresses belong to many people.
  package var hasKnownDomain: Bool { KnownDomains.contains(asciiDomain) }

  /// A key that addresses of the same person are likely to share, for rate limits and abuse
  /// prevention only.
  ///
  /// It is ``key`` without the parts that providers are known to ignore, such as a tag after `+`
  /// and dots at Gmail. Two people can share one, so it is never an identity and never shown.
  package var canonicalKey: String {
    let name = self.name
    let base = Self.text(of: name.prefix(baseLength), or: name)
    func without(_ ignored: String) -> String {
      Self.text(of: base.utf8.filter { !ignored.utf8.contains($0) }, or: base.utf8)
    }
    let domain = asciiDomain
    switch domain {
    case "gmail.com", "googlemail.com": return "\(without("."))@gmail.com"
    case "proton.me", "protonmail.com", "pm.me": return "\(without(".-_"))@proton.me"
    case "icloud.com", "me.com", "mac.com": return "\(base)@icloud.com"
    case "ya.ru": return "\(base.replacing("-", with: "."))@yandex.ru"
    default: break
    }
    if KnownDomains.brand(ofNationalDomain: domain) == "yandex" {
      return "\(base.replacing("-", with: "."))@yandex.ru"
    }
    // Most addresses have no subaddress, and can use their key unchanged.
    return base.utf8.count == name.count ? key : "\(base)@\(domain)"
  }

  /// Whether the local part has a subaddress, such as `+news`, without which the mail goes to the
  /// same mailbox.
  ///
  /// Every `+` begins one, except at providers that do not support them; a `-` begins one only at
  /// Yahoo.
  package var hasSubaddress: Bool { baseLength < name.count }

  /// The local part of ``key``.
  private var name: Substring.UTF8View { key.utf8.prefix { $0 != UInt8(ascii: "@") } }

  /// The number of bytes of ``name`` before its subaddress; all of them without a subaddress.
  private var baseLength: Int {
    let name = self.name
    // The domain matters only to addresses with such a byte.
    let marked = name.prefix { $0 != UInt8(ascii: "+") && $0 != .hyphen }
    if marked.count == name.count { return name.count }
    let domain = asciiDomain
    func length(_ length: Int, before mark: UInt8) -> Int {
      let base = name.prefix(length).prefix { $0 != mark }
      return base.isEmpty ? length : base.count
    }
    let base =
      KnownDomains.rejectsPlus(domain) ? name.count : length(name.count, before: UInt8(ascii: "+"))
    return KnownDomains.brand(ofNationalDomain: domain) == "yahoo"
      ? length(base, before: .hyphen) : base
  }

  /// Decodes bytes as UTF-8, or the original bytes if `bytes` is empty.
  private static func text(
    of bytes: some Collection<UInt8>, or original: some Collection<UInt8>
  ) -> String {
    bytes.isEmpty
      ? String(decoding: original, as: UTF8.self) : String(decoding: bytes, as: UTF8.self)
  }
}
