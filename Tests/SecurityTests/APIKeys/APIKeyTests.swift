import Testing

@testable import Security

@Suite struct APIKeyTests {
  @Test func `the checksum of the documented key is right`() {
    let bytes = Array(APIKey.example.utf8)
    #expect(bytes.count == 53)
    let checksum = Base62.sixDigits(of: CRC32.checksum(of: bytes.prefix(47)))
    #expect(String(decoding: checksum, as: UTF8.self) == "1zSHgW")
    // The check value of CRC-32/ISO-HDLC.
    #expect(CRC32.checksum(of: "123456789".utf8) == 0xCBF4_3926)
    #expect(Base62.sixDigits(of: 0) == Array("000000".utf8))
    #expect(Base62.sixDigits(of: 61) == Array("00000z".utf8))
    #expect(Base62.sixDigits(of: 62) == Array("000010".utf8))
  }

  @Test func `the documented key is always rejected`() {
    #expect(throws: APIKeyError.example) { _ = try APIKey(APIKey.example) }
  }

  @Test func `a new key can be read again`() throws {
    for _ in 0..<100 {
      let key = APIKey()
      #expect(key.text.wholeMatch(of: /enlist_[0-9A-Za-z]{46}/) != nil)
      let read = try APIKey(key.text)
      #expect(read.id == key.id)
      #expect(read.id.count == 8)
      #expect(read.matches(key.hash))
      #expect(!read.matches(APIKey().hash))
      #expect(!read.matches(nil))
    }
  }

  @Test func `keys use all digits, and none twice`() {
    var digits: Set<Character> = []
    var ids: Set<String> = []
    for _ in 0..<200 {
      let key = APIKey()
      digits.formUnion(key.text.dropFirst(7).prefix(40))
      ids.insert(key.id)
    }
    #expect(digits.count == 62)
    #expect(ids.count == 200)
  }

  @Test func `any changed or missing character is detected`() {
    let key = Array(APIKey().text.utf8)
    for index in 7..<key.count {
      var changed = key
      changed[index] = key[index] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
      let text = String(decoding: changed, as: UTF8.self)
      #expect(throws: APIKeyError.incomplete) { _ = try APIKey(text) }
    }
    let short = String(decoding: key.dropLast(), as: UTF8.self)
    #expect(throws: APIKeyError.malformed) { _ = try APIKey(short) }
  }

  @Test(arguments: ["", "enlist_", "Enlist_7Hq2mXw9ExampleExampleExampleExample00001zSHgW", "x"])
  func `a text that is not a key is rejected`(text: String) {
    #expect(throws: APIKeyError.malformed) { _ = try APIKey(text) }
  }
}
