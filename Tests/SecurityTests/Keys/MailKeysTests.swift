import Security
import Testing

/// Tests with values that another implementation of HMAC and HKDF has computed.
@Suite struct MailKeysTests {
  private let keys: MailKeys
  private let mail = [UInt8](100..<122)

  init() throws {
    keys = MailKeys(Keyring(try #require(Secret(bytes: Array(0..<32)))))
  }

  @Test func `derives the tokens of a mail`() {
    let confirm = keys.token(.confirm, ofMail: mail)
    #expect(confirm.text == "uICnd05ovjQniNd6FOgmSqKRhgynNsPhVHABCVtBEoE")
    #expect(
      hexadecimal(confirm.hash)
        == "fc2091a362bfc76ce79ddeaa828c3ce6a63ade99dae45106fe85f04508ea9fd5"
    )
    let unsubscribe = keys.token(.unsubscribe, ofMail: mail)
    #expect(unsubscribe.text == "qOZkmJAeHazkpg9sY-gYcB3liHQl3M6S4CvQurGqDIg")
    #expect(
      hexadecimal(unsubscribe.hash)
        == "7ed15f65b02c443e16d174553ea45120fea9a60bf2f24bdfcef2c01bd1006f29"
    )
  }

  @Test func `derives the code of a mail and its keyed hash`() {
    let code = keys.code(ofMail: mail)
    #expect(code.digits == "466408")
    let hash = keys.hash(of: code, for: 7)
    #expect(hexadecimal(hash) == "0fe4a0e3c6b2cf7f1139e178dad4cd3c4c0bd45848e580fdb598d6712175ebf1")
    #expect(keys.matches(code, hash: hash, of: 7))
    #expect(!keys.matches(code, hash: hash, of: 8))
  }

  @Test func `keeps the zeros at the start of a code`() {
    let mail = [0, 203] + [UInt8](repeating: 0, count: 20)
    #expect(keys.code(ofMail: mail).digits == "003445")
  }

  @Test func `derives the Message-ID of a mail`() {
    #expect(keys.messageID(ofMail: mail).text == "gnbvt3o6dabbreszs5r4exib7q")
  }

  @Test func `hashes mailboxes and suppressed addresses with keys of their own`() throws {
    let mailbox = keys.mailbox("ana@example.org", hasSubaddress: false)
    #expect(
      hexadecimal(mailbox)
        == "e9410da0283b5cf3b0176e2f347913d47a1251e77cefef3e565278167c1875cc"
    )
    #expect(keys.mailbox("ana@example.org", hasSubaddress: true) == mailbox + [0x2B])
    #expect(
      keys.suppressions("ana@example.org").map(hexadecimal)
        == ["17117fd4f5cc1ce7e45946d726e1c46037ca56f6438484d99b0e2aed19d408e6"]
    )
  }

  @Test func `looks suppressions up with both secrets`() throws {
    let old = Secret()
    let address = "ana@example.org"
    let before = MailKeys(Keyring(old)).suppressions(address)
    let after = MailKeys(Keyring(Secret(), previous: old)).suppressions(address)
    #expect(after.count == 2)
    #expect(after.last == before.first)
  }

  @Test func `each purpose has a key of its own`() {
    let keyring = Keyring(Secret())
    let macs = KeyPurpose.allCases.map { keyring.key(for: $0).mac(of: mail) }
    #expect(Set(macs).count == KeyPurpose.allCases.count)
  }

  @Test func `derives the same for each attempt, and something else for each mail`() {
    var texts: Set<String> = []
    for number in UInt8.min...UInt8.max {
      let mail = [UInt8](repeating: number, count: 22)
      let token = keys.token(.confirm, ofMail: mail).text
      #expect(token == keys.token(.confirm, ofMail: mail).text)
      texts.formUnion([token, keys.token(.unsubscribe, ofMail: mail).text])
      texts.insert(keys.messageID(ofMail: mail).text)
    }
    #expect(texts.count == 3 * 256)
  }
}

/// Returns bytes as hexadecimal text.
private func hexadecimal(_ bytes: [UInt8]) -> String {
  bytes.map { byte in
    let digits = String(byte, radix: 16)
    return digits.count == 1 ? "0\(digits)" : digits
  }
  .joined()
}
