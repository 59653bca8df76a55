import Glibc
import Security
import TestSupport
import Testing

@Suite struct KeyringTests {
  private let new = Secret()
  private let old = Secret()

  @Test(arguments: ["", "ana@example.org", "grå@example.org"])
  func `a text is hashed like its bytes`(text: String) {
    let key = Keyring(new).key(for: .mailbox)
    #expect(key.mac(of: text) == key.mac(of: Array(text.utf8)))
  }

  @Test func `parses one secret`() throws {
    let keyring = try Keyring(new.text)
    #expect(keyring.current.bytes == new.bytes)
    #expect(keyring.previous == nil)
  }

  @Test(arguments: ["", "\n"])
  func `parses the new secret and the old one`(end: String) throws {
    let keyring = try Keyring("\(new.text),\(old.text)\(end)")
    #expect(keyring.current.bytes == new.bytes)
    #expect(keyring.previous?.bytes == old.bytes)
  }

  @Test func `rejects text that is not one secret or two`() {
    let text = new.text
    for wrong in [
      "", ",", "\(text),", ",\(text)", "\(text), \(text)", "\(text),\(text),\(text)", "\(text)\r\n",
      "\(text)\n\n", "secret",
    ] {
      #expect(throws: SecretError.invalid) { try Keyring(wrong) }
    }
  }

  @Test func `derives with the new secret and recognizes with both`() throws {
    let keyring = Keyring(new, previous: old)
    let message = Array("ana@example.org".utf8)
    let mac = keyring.key(for: .suppression).mac(of: message)
    let keys = keyring.keys(for: .suppression)
    #expect(keys.count == 2)
    #expect(try #require(keys.first).isValid(mac, for: message))
    #expect(!(try #require(keys.last).isValid(mac, for: message)))
    #expect(
      try #require(keys.last).mac(of: message)
        == DerivedKey(from: old, for: .suppression)
        .mac(of: message)
    )
  }

  @Test func `reads a file`() throws {
    let folder = try Folder()
    try folder.write("\(new.text)\n", to: "secret")
    #expect(try Keyring(contentsOfFile: folder("secret")).current.bytes == new.bytes)
  }

  @Test func `rejects a file that is missing or too long`() throws {
    let folder = try Folder()
    #expect(throws: SecretError.unreadable(code: ENOENT)) {
      try Keyring(contentsOfFile: folder("missing"))
    }
    try folder.write(String(repeating: "A", count: 257), to: "long")
    #expect(throws: SecretError.tooLong) { try Keyring(contentsOfFile: folder("long")) }
  }
}
