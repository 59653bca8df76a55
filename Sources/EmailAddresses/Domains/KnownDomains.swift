/// Mail domains that are known to be real, so that no correction is suggested for them.
///
/// The list is not a ranking, and a domain that is missing from it is not necessarily a typo.
enum KnownDomains {
  /// Whether a lowercase domain is in the list.
  static func contains(_ domain: String) -> Bool { domains.contains(domain) }

  private static let domains: Set<String> = [
    "gmail.com", "googlemail.com", "yahoo.com", "yahoo.co.uk", "yahoo.fr", "yahoo.de",
    "yahoo.it", "yahoo.es", "yahoo.co.jp", "yahoo.co.in", "yahoo.com.br", "ymail.com",
    "rocketmail.com", "hotmail.com", "hotmail.co.uk", "hotmail.fr", "hotmail.it", "hotmail.es",
    "hotmail.de", "outlook.com", "outlook.fr", "outlook.de", "outlook.es", "live.com",
    "live.co.uk", "live.fr", "live.nl", "msn.com", "icloud.com", "me.com", "mac.com", "aol.com",
    "gmx.com", "gmx.de", "gmx.net", "gmx.at", "gmx.ch", "web.de", "t-online.de", "freenet.de",
    "mail.com", "email.com", "mail.ru", "yandex.ru", "yandex.com", "ya.ru", "bk.ru", "list.ru",
    "inbox.ru", "rambler.ru", "qq.com", "163.com", "126.com", "sina.com", "sohu.com",
    "naver.com", "daum.net", "hanmail.net", "orange.fr", "wanadoo.fr", "free.fr", "sfr.fr",
    "laposte.net", "libero.it", "virgilio.it", "tiscali.it", "alice.it", "uol.com.br",
    "bol.com.br", "terra.com.br", "comcast.net", "verizon.net", "att.net", "sbcglobal.net",
    "bellsouth.net", "cox.net", "charter.net", "btinternet.com", "sky.com", "virginmedia.com",
    "ntlworld.com", "talktalk.net", "shaw.ca", "rogers.com", "sympatico.ca", "bigpond.com",
    "optusnet.com.au", "xtra.co.nz", "protonmail.com", "proton.me", "pm.me", "fastmail.com",
    "fastmail.fm", "zoho.com", "hey.com", "tutanota.com", "tuta.com", "seznam.cz", "wp.pl",
    "o2.pl", "onet.pl", "interia.pl", "ukr.net", "abv.bg", "docomo.ne.jp", "ezweb.ne.jp",
    "softbank.ne.jp", "duck.com", "hushmail.com", "inbox.com",
  ]

  /// Whether no address of a lowercase domain has a `+`, so that it cannot begin a subaddress.
  static func rejectsPlus(_ domain: String) -> Bool { domainsWithoutPlus.contains(domain) }

  private static let domainsWithoutPlus: Set<String> = [
    "gmx.at", "gmx.ch", "gmx.com", "gmx.de", "gmx.net", "web.de",
  ]

  /// Returns the name before the ending of `name.com`, `name.fr`, `name.co.uk` or `name.com.br`.
  static func brand(ofNationalDomain domain: String) -> Substring? {
    guard let dot = domain.utf8.firstIndex(of: .dot), dot > domain.startIndex else {
      return nil
    }
    var ending = domain.utf8[domain.utf8.index(after: dot)...]
    if ending.elementsEqual("com".utf8) { return domain[..<dot] }
    for second in ["co.", "com."] where ending.starts(with: second.utf8) {
      ending = ending.dropFirst(second.utf8.count)
      break
    }
    return ending.count == 2 && !ending.contains(.dot) ? domain[..<dot] : nil
  }
}
