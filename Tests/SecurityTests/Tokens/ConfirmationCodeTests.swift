import Security
import Testing

@Suite struct ConfirmationCodeTests {
  @Test(arguments: ["204815", "204 815", "204-815", " 2 0 4 8 1 5 ", "--204815--"])
  func `ignores spaces and hyphens`(text: String) {
    #expect(ConfirmationCode(text)?.digits == "204815")
  }

  @Test(
    arguments: [
      "", "20481", "2048150", "20481a", "204.815", "204815\n", "+204815", "２０４８１５",
      "204\u{A0}815", "٢٠٤٨١٥",
    ]
  )
  func `rejects text that is not six digits`(text: String) {
    #expect(ConfirmationCode(text) == nil)
  }

  @Test func `the code of every mail has six digits`() {
    let keys = MailKeys(Keyring(Secret()))
    for number in 0..<2000 {
      let mail = [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
      let code = keys.code(ofMail: mail)
      #expect(ConfirmationCode(code.digits)?.digits == code.digits)
    }
  }

  @Test func `the hash is that of one code and one subscriber`() throws {
    let keys = MailKeys(Keyring(Secret()))
    let code = try #require(ConfirmationCode("204815"))
    let other = try #require(ConfirmationCode("204816"))
    let hash = keys.hash(of: code, for: 1)
    #expect(keys.matches(code, hash: hash, of: 1))
    #expect(!keys.matches(other, hash: hash, of: 1))
    #expect(!keys.matches(code, hash: hash, of: 2))
    #expect(!keys.matches(code, hash: [], of: 1))
    #expect(!MailKeys(Keyring(Secret())).matches(code, hash: hash, of: 1))
  }

  @Test func `a description or a dump of a code shows nothing of it`() throws {
    let code = try #require(ConfirmationCode("204815"))
    #expect("\(code)" == "***")
    var text = ""
    dump(code, to: &text)
    #expect(!text.contains("204815"))
  }
}
