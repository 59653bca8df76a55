import EmailAddresses
import Testing

/// Tests of the order of rejection reasons and of hostile input.
@Suite struct EmailAddressOrderTests {
  /// Inputs to which a reason and the next one in the table both apply.
  @Test(
    arguments: [
      (String(repeating: " ", count: 1025), .tooLong),
      (String(repeating: "\u{FFFD}", count: 85), .tooLong),
      ("\u{FFFD}\n", .invalidUnicode),
      ("<\u{0}>", .controlCharacter),
      ("\"<a>\"@example.org", .displayName),
      ("\"(\"@example.org", .quotedLocalPart),
      ("(a b)", .comment),
      ("no at sign", .whitespace),
      ("@ @", .whitespace),
      ("", .empty),
      ("@@", .multipleAt),
      ("a@@", .multipleAt),
      ("@", .missingLocalPart),
      (String(repeating: ",", count: 65) + "@", .missingDomain),
      (String(repeating: ",", count: 65) + "@[", .localTooLong),
      (".,@[", .localCharacter),
      (".a@[", .localDots),
      ("a@[_", .domainLiteral),
      ("a@._-", .domainCharacter),
      ("a@.-", .domainDots),
      ("a@-" + String(repeating: "b", count: 64), .domainHyphen),
      ("a@" + String(repeating: "b", count: 64), .labelTooLong),
      ("a@b", .singleLabelDomain),
      ("a@1", .singleLabelDomain),
      ("a@b.1", .topLevelDomain),
    ] as [(String, EmailAddressError.Reason)]
  )
  func `reports the first rejection reason that applies`(
    typed: String, reason: EmailAddressError.Reason
  ) {
    #expect(EmailAddress.rejectionReason(of: typed) == reason)
  }

  @Test(
    arguments: [
      ("a\u{FFFE}@example.org", .invalidUnicode),
      ("a\u{1FFFF}@example.org", .invalidUnicode),
      ("a@example.org\u{10FFFF}", .invalidUnicode),
      ("a\u{80}@example.org", .controlCharacter),
      ("a@example.org\u{9F}", .controlCharacter),
      ("\u{2028}a@example.org", .controlCharacter),
      ("a@example.org\u{2029}", .controlCharacter),
      ("a@example.org\u{85}", .controlCharacter),
      ("a\u{A0}b@example.org", .whitespace),
      ("a\u{3000}b@example.org", .whitespace),
      ("a\u{2003}b@example.org", .whitespace),
      ("\u{2003}a@example.org", .whitespace),
      // An accent after the `@` forms one character with it, but the `@` still counts.
      ("user@\u{301}abc.com", .internationalDomain),
      ("user\u{FF20}example.com", .missingAt),
      ("a\u{37E}b@example.org", .localCharacter),
      ("\u{200B}", .invisibleCharacter),
    ] as [(String, EmailAddressError.Reason)]
  )
  func `reports the rejection reason for non-ASCII input`(
    typed: String, reason: EmailAddressError.Reason
  ) {
    #expect(EmailAddress.rejectionReason(of: typed) == reason)
  }

  @Test(
    arguments: [
      " a@example.org ", "\ta@example.org\t", "\u{A0}a@example.org\u{A0}",
      "\u{3000}a@example.org\u{3000}", " \u{A0}\t\u{3000} a@example.org \u{3000}\t\u{A0} ",
    ]
  )
  func `trims tabs and the spaces that keyboards produce`(typed: String) throws {
    #expect(try EmailAddress(validating: typed).entered == "a@example.org")
  }

  @Test(arguments: ["\u{A0}", "\u{3000}\t ", "\u{3000}\u{A0}"])
  func `input of only white space is empty`(typed: String) {
    #expect(EmailAddress.rejectionReason(of: typed) == .empty)
  }

  @Test(
    arguments: [
      ("a", .tooLong), (" ", .tooLong), ("@", .tooLong), ("\u{0}", .tooLong), ("\r\n", .tooLong),
      ("\u{FFFD}", .tooLong), ("a@b.cc,", .tooLong), ("\u{1F600}", .tooLong), ("a.", .tooLong),
    ] as [(String, EmailAddressError.Reason)]
  )
  func `rejects input that is far too long without reading it`(
    piece: String, reason: EmailAddressError.Reason
  ) {
    let typed = String(repeating: piece, count: 65_536 / piece.utf8.count)
    #expect(EmailAddress.rejectionReason(of: typed) == reason)
  }

  @Test(
    arguments: [
      "a@example.org\nb", "\na@example.org", "\ra@example.org", "a@example.org\r\n",
      "a@example.org\u{0}", "\u{0}", "a\u{0}@example.org", "a@example.org\u{B}", "a\u{C}",
      "a@example.org\r\nBcc: b@example.org",
    ]
  )
  func `rejects addresses with line breaks or NUL bytes`(typed: String) {
    #expect(EmailAddress.rejectionReason(of: typed) == .controlCharacter)
  }

  @Test func `length limits count bytes instead of characters`() throws {
    let longest = "a@" + String(repeating: String(repeating: "b", count: 49) + ".", count: 5) + "cc"
    #expect(longest.utf8.count == 254)
    #expect(try EmailAddress(validating: "  \(longest)  ").normalized == longest)
    #expect(EmailAddress.rejectionReason(of: longest + "c") == .tooLong)
    // 128 characters, 255 bytes.
    let accents = String(repeating: "\u{E9}", count: 127) + "a"
    #expect(EmailAddress.rejectionReason(of: accents) == .tooLong)
  }

  @Test func `an address accepts exactly the bytes that are valid in an atom or a label`() throws {
    let symbols = Set("!#$%&'*+-/=?^_`{|}~".utf8)
    for byte in UInt8(0x21)...0x7E where !Array("<>()@".utf8).contains(byte) {
      let character = Character(Unicode.Scalar(byte))
      let isAlphanumeric = character.isLetter || character.isNumber
      let isLocal = isAlphanumeric || symbols.contains(byte) || byte == UInt8(ascii: ".")
      #expect(Self.isAccepted("a\(character)b@example.org") == isLocal)
      let isDomain = isAlphanumeric || character == "-" || character == "."
      #expect(Self.isAccepted("ab@ex\(character)ample.org") == isDomain)
    }
  }

  @Test func `normalizing a normalized address does not change it`() throws {
    let typed = " A.B+c@Sub.EXAMPLE.org\t"
    let address = try EmailAddress(validating: typed)
    let again = try EmailAddress(validating: address.normalized)
    #expect(again.normalized == address.normalized)
    #expect(again.key == address.key)
    #expect(address.key == "a.b+c@sub.example.org")
    #expect(try EmailAddress(validating: address.key).key == address.key)
  }

  private static func isAccepted(_ typed: String) -> Bool {
    do throws(EmailAddressError) {
      _ = try EmailAddress(validating: typed)
      return true
    } catch {
      return false
    }
  }
}
