import Security
import Testing

@Suite struct SecretTests {
  @Test func `a new secret has 32 bytes that no other has`() {
    let secrets = (0..<100).map { _ in Secret().bytes }
    #expect(secrets.allSatisfy { $0.count == 32 })
    #expect(Set(secrets).count == 100)
  }

  @Test(arguments: Secret.byteCounts)
  func `a secret survives the round trip through text`(count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
    let secret = try #require(Secret(bytes: bytes))
    #expect(Secret(secret.text)?.bytes == bytes)
  }

  @Test(arguments: [0, 1, 31, 65])
  func `rejects a secret of another length`(count: Int) {
    #expect(Secret(bytes: .init(repeating: 7, count: count)) == nil)
  }

  @Test(
    arguments: [
      "",
      // Without padding, with too much of it, and with bits that encode nothing.
      "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
      "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8==",
      "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9=",
      // In base64url, with white space, and with another letter.
      "-_ECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
      " AECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
      "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n",
      "é\u{30C}ECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
    ]
  )
  func `rejects text that is not a secret`(text: String) {
    #expect(Secret(text) == nil)
  }

  @Test func `a description or a dump of a secret shows nothing of it`() {
    let keyring = Keyring(Secret())
    let key = keyring.key(for: .token)
    #expect("\(keyring.current)" == "***")
    #expect("\(key)" == "***")
    var text = ""
    dump(keyring.current, to: &text)
    dump(key, to: &text)
    #expect(!text.contains("bytes"))
  }
}
