import EmailAddresses
import Testing

@Suite struct EmailAddressTests {
  @Test(
    arguments: [
      "bea@example.com",
      "k@k.io",
      "paul.mc.cartney@example.co.uk",
      "99@99.com",
      "list+tag@example.org",
      "l'ecole@example.fr",
      "a/b=c@example.com",
      "#$%&*@example.net",
      "user!host%relay@example.com",
      "-x@example.com",
      "!#$%&'*+-/=?^_`{|}~@example.com",
      "web@sub-1.example.info",
      "rr@zz--top.com",
      "bea@xn--bcher-kva.com",
      "bea@example.xn--p1ai",
      many("m", 64) + "@example.net",
      "v@" + many("b", 63) + ".net",
      many("m", 64) + "@" + many(many("b", 61) + ".", 3) + "net",
    ]
  )
  func `accepts valid addresses and keeps them unchanged`(typed: String) throws {
    let address = try EmailAddress(validating: typed)
    #expect(address.entered == typed)
    #expect(address.normalized == typed)
    #expect("\(address.local)@\(address.asciiDomain)" == typed)
  }

  @Test(
    arguments: [
      ("Bea.Smith@EXAMPLE.Org", "Bea.Smith@example.org", "bea.smith@example.org"),
      ("  bea@example.org\t", "bea@example.org", "bea@example.org"),
      ("AZ^_`{|}~@Z.ZZ", "AZ^_`{|}~@z.zz", "az^_`{|}~@z.zz"),
    ]
  )
  func `keeps the case of the local part and lowercases the domain`(
    typed: String, normalized: String, key: String
  ) throws {
    let address = try EmailAddress(validating: typed)
    #expect(address.normalized == normalized)
    #expect(address.key == key)
  }

  @Test(
    arguments: [
      ("", .empty),
      (" \t ", .empty),
      (many("x", 1025), .tooLong),
      (many(" ", 1020) + "a@b.cc", .tooLong),
      (many("m", 243) + "@example.org", .tooLong),
      ("b\u{FFFD}a@example.org", .invalidUnicode),
      ("b\u{0}a@example.org", .controlCharacter),
      ("bea@example.org\r\nBcc: eve@example.org", .controlCharacter),
      ("bea@example.org\n", .controlCharacter),
      ("be\ta@example.org", .controlCharacter),
      ("bea\u{7F}@example.org", .controlCharacter),
      ("Bea <bea@example.org>", .displayName),
      ("\"bea\"@example.org", .quotedLocalPart),
      ("bea(work)@example.org", .comment),
      ("be a@example.org", .whitespace),
      ("bea@example .org", .whitespace),
      ("example.org", .missingAt),
      ("bea@@example.org", .multipleAt),
      ("a@b@example.org", .multipleAt),
      ("@example.org", .missingLocalPart),
      ("bea@", .missingDomain),
      (many("m", 65) + "@example.net", .localTooLong),
      ("be,a@example.org", .localCharacter),
      ("be\\a@example.org", .localCharacter),
      (".bea@example.org", .localDots),
      ("bea.@example.org", .localDots),
      ("b..ea@example.org", .localDots),
      ("bea@[192.0.2.1]", .domainLiteral),
      ("bea@exa_mple.org", .domainCharacter),
      ("bea@.example.org", .domainDots),
      ("bea@example.org.", .domainDots),
      ("bea@example..org", .domainDots),
      ("bea@-example.org", .domainHyphen),
      ("bea@example-.org", .domainHyphen),
      ("v@" + many("b", 64) + ".net", .labelTooLong),
      ("bea@localhost", .singleLabelDomain),
      ("bea@192.0.2.1", .topLevelDomain),
      ("bea@example.c", .topLevelDomain),
      ("bea@example.c0m", .topLevelDomain),
      ("bea@example.xn--", .domainHyphen),
    ] as [(String, EmailAddressError.Reason)]
  )
  func `rejects invalid addresses with the reason`(typed: String, reason: EmailAddressError.Reason)
  {
    #expect(EmailAddress.rejectionReason(of: typed) == reason)
  }

  @Test func `reports the first of several rejection reasons`() {
    #expect(EmailAddress.rejectionReason(of: "<a b") == .displayName)
    #expect(EmailAddress.rejectionReason(of: "a..b@localhost") == .localDots)
  }

  @Test func `the description of an address hides the mailbox`() throws {
    let address = try EmailAddress(validating: "bea.smith@example.org")
    #expect("\(address)" == "b…@example.org")
  }
}

private func many(_ text: String, _ count: Int) -> String {
  String(repeating: text, count: count)
}
