import Security
import Testing

@Suite struct MailTokenTests {
  private let keys = MailKeys(Keyring(Secret()))

  @Test func `a token survives the round trip through text`() throws {
    for number in UInt8.min...UInt8.max {
      let token = keys.token(.confirm, ofMail: [number])
      #expect(token.text.utf8.count == MailToken.characterCount)
      let parsed = try #require(MailToken(token.text))
      #expect(parsed.text == token.text)
      #expect(parsed.hash == token.hash)
    }
  }

  @Test func `a token has one text only`() {
    let text = Array(keys.token(.confirm, ofMail: [1]).text.utf8)
    for position in text.indices {
      for byte in UInt8.min...UInt8.max where byte != text[position] {
        var other = text
        other[position] = byte
        guard let token = MailToken(String(decoding: other, as: UTF8.self)) else { continue }
        #expect(Array(token.text.utf8) == other)
      }
    }
  }

  @Test(
    arguments: [
      "",
      String(repeating: "A", count: 42),
      String(repeating: "A", count: 44),
      String(repeating: "A", count: 43) + "=",
      // The last character encodes four bits; the other two must be zero.
      String(repeating: "A", count: 42) + "B",
      String(repeating: "A", count: 42) + "_",
      String(repeating: "A", count: 42) + "=",
      "+" + String(repeating: "A", count: 42),
      "/" + String(repeating: "A", count: 42),
      " " + String(repeating: "A", count: 42),
      "é" + String(repeating: "A", count: 41),
      String(repeating: "A", count: 42) + "\n",
    ]
  )
  func `rejects text that is not a token`(text: String) {
    #expect(MailToken(text) == nil)
  }

  @Test func `a description or a dump of a token shows nothing of it`() {
    let token = keys.token(.confirm, ofMail: [1])
    #expect("\(token)" == "***")
    var text = ""
    dump(token, to: &text)
    #expect(!text.contains("bytes"))
  }
}
