import Security
import Testing

@Suite struct SessionTokenTests {
  private let keyring = Keyring(Secret())
  private let session = SessionToken(keyID: "7Hq2mXw9", at: 1_800_000_000)

  @Test func `a session lasts eight hours`() {
    let text = session.text(keyring)
    #expect(SessionToken(text, keyring, at: 1_800_000_000) == session)
    #expect(SessionToken(text, keyring, at: 1_800_028_799) == session)
    #expect(SessionToken(text, keyring, at: 1_800_028_800) == nil)
  }

  @Test func `a session remains valid after the secret was replaced once`() throws {
    let old = Secret()
    let text = session.text(Keyring(old))
    #expect(SessionToken(text, Keyring(Secret(), previous: old), at: 1_800_000_000) == session)
    #expect(SessionToken(text, Keyring(Secret(), previous: Secret()), at: 1_800_000_000) == nil)
  }

  @Test func `no changed session is recognized`() {
    let text = Array(session.text(keyring).utf8)
    for position in text.indices {
      for byte in [UInt8(ascii: "A"), UInt8(ascii: "1"), UInt8(ascii: ".")]
      where byte != text[position] {
        var other = text
        other[position] = byte
        let changed = String(decoding: other, as: UTF8.self)
        // The last character of a code has bits that mean nothing.
        let recognized = SessionToken(changed, keyring, at: 1_800_000_000)
        #expect(recognized == nil || recognized == session, "\(changed)")
        if position < text.count - 1 { #expect(recognized == nil, "\(changed)") }
      }
    }
  }

  @Test(arguments: [
    "", ".", "..", "a.b.c", "7Hq2mXw9.1800028800.", "7Hq2mXw9.+1800028800.AAAA", "x",
  ])
  func `a text that is not a session is not recognized`(text: String) {
    #expect(SessionToken(text, keyring, at: 0) == nil)
    #expect(SessionToken(String(repeating: "a", count: 101), keyring, at: 0) == nil)
  }
}
