import EmailAddresses
import Testing

/// Tests of the rules for non-ASCII text, with at least one case for each rule.
@Suite struct EmailInternationalTests {
  @Test(
    arguments: [
      // Thai SARA AM has a compatibility form, but one without ASCII.
      ("\u{E19}\u{E49}\u{E33}@example.com", "\u{E19}\u{E49}\u{E33}@example.com"),
      // NFC turns this character into a grave accent, which is atom text.
      ("a\u{1FEF}@example.com", "a`@example.com"),
      ("\u{212A}@example.com", "K@example.com"),
      (
        "a\u{661}\u{20AC}\u{2192}\u{3002}@example.com",
        "a\u{661}\u{20AC}\u{2192}\u{3002}@example.com"
      ),
      // A joiner after a virama, and one between joining letters.
      ("\u{915}\u{94D}\u{200D}\u{937}@example.in", "\u{915}\u{94D}\u{200D}\u{937}@example.in"),
      ("\u{645}\u{6CC}\u{200C}\u{62E}@example.ir", "\u{645}\u{6CC}\u{200C}\u{62E}@example.ir"),
      ("\u{2764}\u{FE0F}@example.com", "\u{2764}\u{FE0F}@example.com"),
      // 66 bytes typed, 64 composed.
      (
        String(repeating: "a", count: 62) + "e\u{301}@example.com",
        String(repeating: "a", count: 62) + "\u{E9}@example.com"
      ),
    ]
  )
  func `a local part may contain letters of any script`(typed: String, normalized: String) throws {
    let address = try EmailAddress(validating: typed)
    #expect(Array(address.normalized.utf8) == Array(normalized.utf8))
  }

  @Test(
    arguments: [
      (String(repeating: "e\u{301}", count: 33) + "@example.com", .localTooLong),
      ("\u{E9}" + String(repeating: "a", count: 63) + "@example.com", .localTooLong),
      ("a.\u{301}b@example.com", .localCharacter), ("\u{20DD}a@example.com", .localCharacter),
      ("a\u{E000}@example.com", .localCharacter), ("a\u{378}@example.com", .localCharacter),
      ("a\u{B2}@example.com", .localCharacter), ("a\u{2122}@example.com", .localCharacter),
      ("a\u{FB01}@example.com", .localCharacter), ("a\u{FF0E}b@example.com", .localCharacter),
      ("a\u{37E}b@example.com", .localCharacter),
      ("a\u{200C}b@example.com", .invisibleCharacter),
      ("\u{645}\u{200D}\u{6CC}@example.ir", .invisibleCharacter),
      ("1\u{FE0F}\u{20E3}@example.com", .invisibleCharacter),
      ("a\u{FE0F}@example.com", .invisibleCharacter), ("a\u{AD}b@example.com", .invisibleCharacter),
      ("a\u{3164}@example.com", .invisibleCharacter),
      ("a\u{2800}@example.com", .invisibleCharacter),
      ("a\u{E0061}@example.com", .invisibleCharacter),
    ] as [(String, EmailAddressError.Reason)]
  )
  func `rejects misleading characters in a local part`(
    typed: String, reason: EmailAddressError.Reason
  ) {
    #expect(EmailAddress.rejectionReason(of: typed) == reason)
  }

  @Test(
    arguments: [
      ("B\u{FC}cher.DE", "xn--bcher-kva.de"), ("XN--BCHER-KVA.de", "xn--bcher-kva.de"),
      ("\u{FF45}xample.\u{FF43}\u{FF4F}\u{FF4D}", "example.com"),
      ("b\u{FC}cher\u{3002}de", "xn--bcher-kva.de"), ("b\u{FC}cher\u{FF0E}de", "xn--bcher-kva.de"),
      ("b\u{FC}cher\u{FF61}de", "xn--bcher-kva.de"), ("fa\u{DF}.de", "xn--fa-hia.de"),
      // A symbol below the top-level domain, typed or encoded.
      ("\u{2764}\u{FE0F}.ws", "xn--qei.ws"), ("xn--qei.ws", "xn--qei.ws"),
      // Latin with Han, kana, Hangul and Thai; one alphabet per label; look-alikes in one alphabet.
      ("a\u{4E2D}\u{30AB}.com", "xn--a-xeuv64i.com"), ("a\u{D55C}.com", "xn--a-472g.com"),
      ("a\u{E01}.com", "xn--a-uwf.com"), ("abc.\u{43F}\u{43E}.com", "abc.xn--n1ab.com"),
      ("xn--80ak6aa92e.com", "xn--80ak6aa92e.com"),
      // In a valid context: the Catalan middle dot, the katakana middle dot, a joiner.
      ("col\u{B7}lecta.com", "xn--collecta-ioa.com"), ("\u{30AB}\u{30FB}.com", "xn--lckyi.com"),
      ("\u{645}\u{6CC}\u{200C}\u{62E}.com", "xn--tgb9bvy774f.com"),
      ("example.\u{440}\u{444}", "example.xn--p1ai"), ("zz--top.com", "zz--top.com"),
    ]
  )
  func `an international domain is stored in ASCII`(typed: String, ascii: String) throws {
    #expect(try EmailAddress(validating: "ana@\(typed)").asciiDomain == ascii)
  }

  @Test(
    arguments: [
      ("xn--a.com", .internationalDomain), ("xn--abc-.com", .domainHyphen),
      // A-labels whose U-labels are invalid: a fraction slash, two alphabets.
      ("xn--ab-c6t.com", .internationalDomain), ("xn--pypal-4ve.com", .mixedScriptDomain),
      ("\u{430}\u{3B1}.com", .mixedScriptDomain), ("a\u{561}.com", .mixedScriptDomain),
      ("a\u{2105}.com", .domainCharacter), ("a\u{FF3F}b.com", .domainCharacter),
      ("\u{301}a.com", .internationalDomain), ("a\u{640}\u{628}.com", .internationalDomain),
      ("\u{1100}.com", .internationalDomain), ("a\u{20D0}.com", .internationalDomain),
      ("\u{628}\u{661}\u{6F1}.com", .internationalDomain),
      ("a\u{375}.com", .internationalDomain), ("\u{30FB}.com", .internationalDomain),
      ("\u{FC}bc--d.com", nil), ("\u{FC}b--c.com", .internationalDomain),
      ("\u{FC}b--.com", .domainHyphen),
      ("ab--\u{FC}.com", .internationalDomain),
      ("1\u{5D0}.com", .internationalDomain), ("1a.\u{5D0}\u{5D1}.com", .internationalDomain),
      ("a.\u{2764}", .internationalDomain), ("a.xn--qei", .internationalDomain),
      ("b\u{FC}cher.de.", .domainDots), ("b\u{FC}cher.de\u{3002}", .domainDots),
      ("b\u{FC}cher", .singleLabelDomain), ("b\u{FC}cher.1", .topLevelDomain),
      ("b\u{FC}cher.localhost", .specialUseDomain),
      ("a\u{200D}.com", .invisibleCharacter), ("\u{AD}.com", .invisibleCharacter),
      // 40 labels of three bytes each, which become eight bytes each.
      (String(repeating: "\u{FC}.", count: 40) + "com", .tooLong),
    ] as [(String, EmailAddressError.Reason?)]
  )
  func `accepts only domains that a registry would register`(
    typed: String, reason: EmailAddressError.Reason?
  ) {
    #expect(EmailAddress.rejectionReason(of: "ana@\(typed)") == reason)
  }
}
