import EmailAddresses
import Testing

/// Tests of error offsets, which count the bytes of the typed text including leading white space.
@Suite struct EmailOffsetTests {
  @Test(
    arguments: [
      ("", .empty, nil),
      (String(repeating: "a", count: 255), .tooLong, nil),
      ("\u{E9}a\u{FFFD}@example.org", .invalidUnicode, 3),
      ("\u{E9}\u{0}@example.org", .controlCharacter, 2),
      ("Bea <bea@example.org>", .displayName, 4),
      ("  \"bea\"@example.org", .quotedLocalPart, 2),
      ("bea(work)@example.org", .comment, 3),
      (" b ea@example.org", .whitespace, 2),
      ("\u{3000}\u{E9} a@example.org", .whitespace, 5),
      ("b\u{E9}\u{200B}@example.org", .invisibleCharacter, 3),
      ("b\u{E9}\u{200D}a@example.org", .invisibleCharacter, 3),
      ("bea", .missingAt, nil),
      ("bea@@example.org", .multipleAt, 4),
      (" @example.org", .missingLocalPart, 1),
      (" bea@ ", .missingDomain, 4),
      (" " + String(repeating: "a", count: 65) + "@example.org", .localTooLong, 1),
      ("be,a@example.org", .localCharacter, 2),
      ("b\u{E9},a@example.org", .localCharacter, 3),
      ("b\u{E9}\u{FF41}@example.org", .localCharacter, 3),
      // Typed as two scalars that compose to one.
      ("be\u{301}\u{FF41}@example.org", .localCharacter, 4),
      ("be\u{301}a.\u{308}@example.org", .localCharacter, 6),
      ("be..a@example.org", .localDots, 3),
      ("bea.@example.org", .localDots, 3),
      ("b\u{E9}..a@example.org", .localDots, 4),
      ("bea@[192.0.2.1]", .domainLiteral, 4),
      ("bea@exa_mple.org", .domainCharacter, 7),
      ("bea@exam\u{2105}ple.org", .domainCharacter, 8),
      ("bea@.example.org", .domainDots, 4),
      ("bea@example..org", .domainDots, 12),
      ("bea@example.org.", .domainDots, 15),
      ("bea@b\u{FC}cher..org", .domainDots, 12),
      ("bea@b\u{FC}cher.org\u{3002}", .domainDots, 15),
      ("bea@\u{FF0E}b\u{FC}cher.org", .domainDots, 4),
      ("bea@-example.org", .domainHyphen, 4),
      ("bea@www.example-.org", .domainHyphen, 15),
      ("bea@b\u{FC}cher-.org", .domainHyphen, 11),
      ("bea@www." + String(repeating: "b", count: 64) + ".org", .labelTooLong, 8),
      ("bea@www." + String(repeating: "\u{FC}", count: 63) + ".org", .labelTooLong, 8),
      ("bea@www.b\u{200D}\u{FC}.org", .invisibleCharacter, 9),
      ("bea@\u{915}\u{94D}\u{200D}\u{937}.b\u{200C}\u{FC}.in", .invisibleCharacter, 18),
      ("bea@www.xn--b.org", .internationalDomain, 8),
      ("bea@www.c\u{B7}d.org", .internationalDomain, 8),
      ("bea@www.b\u{FC}\u{2190}.org", .internationalDomain, 11),
      ("bea@2.\u{5D2}\u{5D3}.com", .internationalDomain, 4),
      ("bea@www.p\u{430}ypal.com", .mixedScriptDomain, 9),
      ("bea@\u{430}mazon.com", .mixedScriptDomain, 6),
      ("bea@x.\u{2044}.com", .internationalDomain, 6),
      // This scalar maps to 18 letters and spaces; the tables fail above 1,000.
      ("a@" + String(repeating: "\u{FDFA}", count: 55), .domainCharacter, 2),
      ("a@" + String(repeating: "\u{FDFA}", count: 83), .internationalDomain, 2),
      // More labels than are checked one by one.
      ("a@" + String(repeating: "\u{FC}.", count: 20) + "xn--b.com", .internationalDomain, 2),
      (" bea@localhost", .singleLabelDomain, 5),
      ("bea@b\u{FC}cher", .singleLabelDomain, 4),
      ("bea@192.0.2.1", .topLevelDomain, 12),
      ("bea@b\u{FC}cher.c0m", .topLevelDomain, 12),
      ("bea@www.q.test", .specialUseDomain, 10),
      ("bea@b\u{FC}cher.test", .specialUseDomain, 12),
    ] as [(String, EmailAddressError.Reason, Int?)]
  )
  func `reports the byte offset of an error`(
    typed: String, reason: EmailAddressError.Reason, offset: Int?
  ) {
    #expect(throws: EmailAddressError(reason, at: offset)) { try EmailAddress(validating: typed) }
  }
}
