import Security
import Testing

@Suite struct MessageIDTests {
  @Test func `a Message-ID has 26 characters of base32`() {
    let keys = MailKeys(Keyring(Secret()))
    let allowed = Set("abcdefghijklmnopqrstuvwxyz234567")
    for number in UInt8.min...UInt8.max {
      let text = keys.messageID(ofMail: [number]).text
      #expect(text.count == MessageID.characterCount)
      #expect(text.allSatisfy(allowed.contains))
    }
  }
}
