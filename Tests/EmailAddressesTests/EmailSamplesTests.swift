import EmailAddresses
import Testing

/// Tests of the specification's samples: the result, the reason and the normalized bytes.
@Suite struct EmailSamplesTests {
  @Test(
    arguments: [
      ("bea@example.com", "bea@example.com"),
      ("k@k.io", "k@k.io"),
      ("paul.mc.cartney@example.co.uk", "paul.mc.cartney@example.co.uk"),
      ("99@99.com", "99@99.com"),
      ("list+tag@example.org", "list+tag@example.org"),
      ("l'ecole@example.fr", "l'ecole@example.fr"),
      ("a/b=c@example.com", "a/b=c@example.com"),
      ("#$%&*@example.net", "#$%&*@example.net"),
      ("user!host%relay@example.com", "user!host%relay@example.com"),
      ("-x@example.com", "-x@example.com"),
      ("web@sub-1.example.info", "web@sub-1.example.info"),
      ("sales@example.technology", "sales@example.technology"),
      ("rr@zz--top.com", "rr@zz--top.com"),
      ("who@yopmail.com", "who@yopmail.com"),
      ("Bea.Smith@EXAMPLE.Org", "Bea.Smith@example.org"),
      (many("m", 64) + "@example.net", many("m", 64) + "@example.net"),
      ("v@" + many("b", 63) + ".net", "v@" + many("b", 63) + ".net"),
      (
        "v@"
          + many("d", 63)
          + "."
          + many("d", 63)
          + "."
          + many("d", 63)
          + "."
          + many("d", 56)
          + ".net",
        "v@"
          + many("d", 63)
          + "."
          + many("d", 63)
          + "."
          + many("d", 63)
          + "."
          + many("d", 56)
          + ".net"
      ),
      ("old..phone@docomo.ne.jp", "old..phone@docomo.ne.jp"),
      ("old.@ezweb.ne.jp", "old.@ezweb.ne.jp"),
      ("bea@example.net", "bea@example.net"),
      ("bea@m\u{FC}ller.de", "bea@xn--mller-kva.de"),
      ("bea@mu\u{308}ller.de", "bea@xn--mller-kva.de"),
      ("bea@xn--mller-kva.de", "bea@xn--mller-kva.de"),
      ("bea@GRO\u{1E9E}.de", "bea@xn--gro-7ka.de"),
      ("bea@\u{43F}\u{43E}\u{447}\u{442}\u{430}.\u{440}\u{444}", "bea@xn--80a1acny.xn--p1ai"),
      ("bea@\u{6771}\u{4EAC}\u{3002}jp", "bea@xn--1lqs71d.jp"),
      ("bea@\u{1F355}.ws", "bea@xn--vi8h.ws"),
      ("bea@\u{928}\u{94D}\u{200D}\u{928}.com", "bea@xn--l2ba4iu62h.com"),
      ("\u{5F20}\u{4F1F}@example.com", "\u{5F20}\u{4F1F}@example.com"),
      ("rene\u{301}@example.fr", "ren\u{E9}@example.fr"),
      (" bea@example.com\u{A0}", "bea@example.com"),
    ] as [(String, String)]
  )
  func `accepts and normalizes the samples of the specification`(
    typed: String, normalized: String
  )
    throws
  {
    let address = try EmailAddress(validating: typed)
    // Compare bytes, because `==` treats canonically equivalent strings as equal.
    #expect(Array(address.normalized.utf8) == Array(normalized.utf8))
    #expect(EmailAddress.isValid(typed))
    let again = try EmailAddress(validating: address.normalized)
    #expect(Array(again.normalized.utf8) == Array(address.normalized.utf8))
    #expect(Array(again.key.utf8) == Array(address.key.utf8))
  }

  @Test(
    arguments: [
      (many("m", 65) + "@example.net", .localTooLong),
      ("v@" + many("b", 64) + ".net", .labelTooLong),
      (
        "v@"
          + many("d", 63)
          + "."
          + many("d", 63)
          + "."
          + many("d", 63)
          + "."
          + many("d", 57)
          + ".net",
        .tooLong
      ),
      (".bea@example.com", .localDots),
      ("bea.@example.com", .localDots),
      ("be..a@example.com", .localDots),
      ("bea@.example.org", .domainDots),
      ("bea@example..org", .domainDots),
      ("bea@example.org.", .domainDots),
      ("bea@-x.com", .domainHyphen),
      ("bea@x-.com", .domainHyphen),
      ("bea@x_y.com", .domainCharacter),
      ("bea@hotmail,com", .domainCharacter),
      ("bea@x.com/", .domainCharacter),
      ("bea@server", .singleLabelDomain),
      ("bea@10.0.0.1", .topLevelDomain),
      ("bea@example.x", .topLevelDomain),
      ("bea@example.n3t", .topLevelDomain),
      ("bea@q.test", .specialUseDomain),
      ("bea@q.invalid", .specialUseDomain),
      ("bea@q.localhost", .specialUseDomain),
      ("bea@q.example", .specialUseDomain),
      ("bea@q.local", .specialUseDomain),
      ("bea@q.onion", .specialUseDomain),
      ("bea@q.internal", .specialUseDomain),
      ("bea@xn--b.com", .internationalDomain),
      ("bea@2.\u{5D2}\u{5D3}.com", .internationalDomain),
      ("bea@x.\u{2764}", .internationalDomain),
      ("bea@c\u{B7}d.com", .internationalDomain),
      ("bea@\u{430}mazon.com", .mixedScriptDomain),
      ("\u{FF42}\u{FF45}\u{FF41}@example.com", .localCharacter),
      ("\u{300}x@example.com", .localCharacter),
      ("bea@example.com\u{D}\u{A}Subject: x", .controlCharacter),
      ("be\u{0}a@example.com", .controlCharacter),
      ("be\u{9}a@example.com", .controlCharacter),
      ("be a@example.com", .whitespace),
      ("\u{9} ", .empty),
      ("\u{3000}", .empty),
      ("bea\u{200B}@example.com", .invisibleCharacter),
      ("\u{202D}bea@example.com", .invisibleCharacter),
      ("b\u{200D}ea@example.com", .invisibleCharacter),
      ("bea", .missingAt),
      ("bea\u{FF20}example.com", .missingAt),
      ("b@e@example.com", .multipleAt),
      ("@example.org", .missingLocalPart),
      ("bea@", .missingDomain),
      ("\"bea\"@example.com", .quotedLocalPart),
      ("bea(x)@example.com", .comment),
      ("Bea <bea@example.com>", .displayName),
      ("bea@[10.0.0.1]", .domainLiteral),
      ("be,a@example.com", .localCharacter),
      (many("b", 20000) + "@example.com", .tooLong),
      ("be\u{FFFD}a@example.com", .invalidUnicode),
    ] as [(String, EmailAddressError.Reason)]
  )
  func `rejects the samples of the specification with the reason`(
    typed: String, reason: EmailAddressError.Reason
  ) {
    #expect(EmailAddress.rejectionReason(of: typed) == reason)
    #expect(!EmailAddress.isValid(typed))
  }

  @Test func `rejects bytes that are not UTF-8 and reports their offset`() {
    let bytes: [UInt8] = [0x62, 0xED, 0xA0, 0x81, 0x40, 0x61, 0x2E, 0x63, 0x6F]
    #expect(throws: EmailAddressError(.invalidUnicode, at: 1)) {
      try bytes.withUnsafeBufferPointer { buffer in _ = try EmailAddress(validating: buffer) }
    }
  }

  @Test(arguments: ["a@q.test", "a@q.LOCALHOST", "a@q.example", "a@home.arpa"])
  func `the test level accepts special-use domains`(typed: String) {
    #expect(EmailAddress.rejectionReason(of: typed) == .specialUseDomain)
    #expect(EmailAddress.isValid(typed, level: .test))
  }

  @Test func `keys fold only spellings of the same address`() throws {
    func key(_ typed: String) throws -> [UInt8] {
      Array(try EmailAddress(validating: typed).key.utf8)
    }
    #expect(try key("Ren\u{C9}@example.fr") == key("rene\u{301}@EXAMPLE.fr"))
    #expect(try key("stra\u{DF}e@example.de") != key("strasse@example.de"))
    #expect(try key("m\u{131}ke@example.org") != key("mike@example.org"))
    #expect(try key("\u{2764}\u{FE0F}@example.org") == key("\u{2764}@example.org"))
    #expect(try key("\u{212A}@example.org") == key("k@example.org"))
  }
}

extension EmailAddress {
  /// Returns the reason an address is rejected; `nil` when it is accepted.
  static func rejectionReason(of typed: String) -> EmailAddressError.Reason? {
    do throws(EmailAddressError) {
      _ = try EmailAddress(validating: typed)
      return nil
    } catch {
      return error.reason
    }
  }
}

private func many(_ text: String, _ count: Int) -> String {
  String(repeating: text, count: count)
}
