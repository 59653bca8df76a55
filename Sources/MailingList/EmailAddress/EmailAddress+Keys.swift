extension EmailAddress {
  /// The form in which an SMTP command has to name the mailbox (RFC 5321 §4.1.2).
  ///
  /// ``normalised``, but for the mailboxes of two carriers whose dots are doubled or last: these are
  /// no dot-atoms, and are quoted.
  package var smtpMailbox: String {
    hasLegacyDots ? "\"\(local)\"@\(asciiDomain)" : normalised
  }

  /// Whether dots stand in the local part where RFC 5321 has none.
  var hasLegacyDots: Bool {
    // A dot before the `@` or before another one.
    zip(local.utf8, local.utf8.dropFirst()).contains { $0 == Octet.dot && $1 == Octet.dot }
      || local.utf8.last == Octet.dot
  }

  /// A guess at the person behind several addresses, for limits and against abuse only.
  ///
  /// Made from ``key`` by what providers are known to ignore: a tag after `+`, dots at Gmail, and the
  /// like. It is never an identity, and never shown: two people can have one.
  package var canonicalKey: String {
    let name = key.utf8.prefix { $0 != UInt8(ascii: "@") }
    var local = String(Substring(name))
    var domain = asciiDomain
    func keep(_ reduced: String) {
      if !reduced.isEmpty { local = reduced }
    }
    keep(String(local.prefix { $0 != "+" }))
    switch domain {
    case "gmail.com", "googlemail.com":
      keep(local.filter { $0 != "." })
      domain = "gmail.com"
    case "proton.me", "protonmail.com", "pm.me":
      keep(local.filter { !".-_".contains($0) })
      domain = "proton.me"
    case "icloud.com", "me.com", "mac.com":
      domain = "icloud.com"
    case "ya.ru":
      keep(String(local.map { $0 == "-" ? "." : $0 }))
      domain = "yandex.ru"
    default:
      if domain.hasPrefix("yandex.") {
        keep(String(local.map { $0 == "-" ? "." : $0 }))
        domain = "yandex.ru"
      } else if domain.hasPrefix("yahoo.") {
        keep(String(local.prefix { $0 != "-" }))
      }
    }
    return "\(local)@\(domain)"
  }
}
