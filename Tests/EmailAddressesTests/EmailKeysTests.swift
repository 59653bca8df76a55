import EmailAddresses
import Testing

/// Tests of comparison keys, canonical keys, SMTP mailboxes and warnings.
@Suite struct EmailKeysTests {
  @Test(arguments: [
    ("Ana.Lee+news@GMail.com", "analee@gmail.com"),
    ("analee@googlemail.com", "analee@gmail.com"),
    ("ana+list@example.com", "ana@example.com"),
    ("+list@example.com", "+list@example.com"),
    ("a.n-a_x@pm.me", "anax@proton.me"),
    ("ana@protonmail.com", "ana@proton.me"),
    ("ana@mac.com", "ana@icloud.com"),
    ("ana-lee@ya.ru", "ana.lee@yandex.ru"),
    ("ana.lee@yandex.com", "ana.lee@yandex.ru"),
    ("ana-shop@yahoo.co.uk", "ana@yahoo.co.uk"),
    ("-shop@yahoo.com", "-shop@yahoo.com"),
    ("ana-shop@yahoo.example.com", "ana-shop@yahoo.example.com"),
    ("an-a@yandex.com.tr", "an.a@yandex.ru"),
    ("-_-@proton.me", "-_-@proton.me"),
    ("a.na@example.com", "a.na@example.com"),
    ("ana+list@gmx.net", "ana+list@gmx.net"),
    ("ana+x-y@yahoo.com", "ana@yahoo.com"),
    ("+x-y@yahoo.com", "+x@yahoo.com"),
  ])
  func `the canonical key omits the parts that providers ignore`(typed: String, key: String) throws
  {
    #expect(try EmailAddress(validating: typed).canonicalKey == key)
  }

  @Test(arguments: [
    ("ana@example.com", false), ("ana+list@example.com", true), ("+list@example.com", false),
    ("ana+@example.com", true), ("ana-list@example.com", false), ("a.na@gmail.com", false),
    ("ana-list@yahoo.fr", true), ("ana-lee@ya.ru", false), ("a-n-a@proton.me", false),
    ("ana+list@web.de", false), ("ana+list@GMX.de", false), ("ana-list@gmx.de", false),
  ])
  func `a subaddress is what a provider is not known to take for a part of the name`(
    typed: String, hasSubaddress: Bool
  ) throws {
    #expect(try EmailAddress(validating: typed).hasSubaddress == hasSubaddress)
  }

  @Test(arguments: [
    ("a..b@docomo.ne.jp", "\"a..b\"@docomo.ne.jp"),
    ("ab.@ezweb.ne.jp", "\"ab.\"@ezweb.ne.jp"),
    ("a.b@docomo.ne.jp", "a.b@docomo.ne.jp"),
    ("ana@example.com", "ana@example.com"),
  ])
  func `the SMTP mailbox quotes only local parts that are not dot-atoms`(
    typed: String, mailbox: String
  ) throws {
    #expect(try EmailAddress(validating: typed).smtpMailbox == mailbox)
  }

  @Test(
    arguments: [
      ("ana@example.com", []),
      (" ana@example.com", [.trimmed]),
      ("-ana@example.com", [.leadingHyphen]),
      ("a%b@example.com", [.routingCharacter]),
      ("a!b@example.com", [.routingCharacter]),
      ("\u{430}na@example.com", [.mixedScriptLocal]),
      ("\u{430}\u{43D}\u{430}@example.com", []),
      ("ana@\u{2764}.ws", [.emojiDomain]),
      ("a..b@docomo.ne.jp", [.legacyDots]),
      ("ana@gmial.com", [.typo]),
      ("Info@example.com", [.roleName]),
      ("list-request@example.com", [.roleName]),
      ("-request@example.com", [.leadingHyphen]),
      ("\tinfo@gmal.com", [.trimmed, .typo, .roleName]),
    ] as [(String, [EmailWarning])]
  )
  func `unusual accepted addresses have warnings`(typed: String, warnings: [EmailWarning]) throws {
    #expect(try EmailAddress(validating: typed).warnings == warnings)
  }

  @Test(arguments: [
    ("Ana@Example.com", "ana@example.com"),
    ("REN\u{C9}@example.fr", "rene\u{301}@example.fr"),
    ("\u{2764}\u{FE0F}@example.org", "\u{2764}@example.org"),
    ("\u{2764}\u{FE0E}@example.org", "\u{2764}\u{FE0F}@example.org"),
    ("\u{212A}im@example.org", "kim@example.org"),
    ("ana@B\u{DC}CHER.de", "ana@xn--bcher-kva.de"),
    ("\u{411}\u{401}\u{410}@example.ru", "\u{431}\u{451}\u{430}@example.ru"),
    // Lowercase j with caron has a composed form; uppercase J with caron does not.
    ("J\u{30C}@example.org", "\u{1F0}@example.org"),
  ])
  func `letter case and Unicode equivalents do not change the key`(
    one: String, other: String
  )
    throws
  {
    #expect(try key(one) == key(other))
  }

  @Test(arguments: [
    ("stra\u{DF}e@example.de", "strasse@example.de"),
    ("m\u{131}ke@example.org", "mike@example.org"),
    ("\u{3C3}\u{3BF}\u{3C2}@example.gr", "\u{3C3}\u{3BF}\u{3C3}@example.gr"),
    ("an.a@gmail.com", "ana@gmail.com"),
    ("ana+news@example.org", "ana@example.org"),
    ("ana@googlemail.com", "ana@gmail.com"),
    ("an\u{E1}@example.org", "ana@example.org"),
  ])
  func `addresses that may belong to two people have different keys`(
    one: String, other: String
  )
    throws
  {
    #expect(try key(one) != key(other))
  }

  @Test func `only a local part with non-ASCII characters needs SMTPUTF8`() throws {
    #expect(try EmailAddress(validating: "\u{E9}@example.org").requiresSMTPUTF8)
    #expect(try !EmailAddress(validating: "e@b\u{FC}cher.de").requiresSMTPUTF8)
    #expect(try !EmailAddress(validating: "\u{212A}@example.org").requiresSMTPUTF8)
  }

  @Test(arguments: ["a..b@docomo.co.jp", "a.@mail.ezweb.ne.jp", ".a@docomo.ne.jp"])
  func `rejects legacy dots at other domains and leading dots everywhere`(typed: String) {
    #expect(EmailAddress.rejectionReason(of: typed) == .localDots)
  }

  private func key(_ typed: String) throws -> [UInt8] {
    Array(try EmailAddress(validating: typed).key.utf8)
  }
}
