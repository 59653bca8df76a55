import Delivery
import Foundation
import TestSupport
import Testing

@Suite struct HeaderFieldTests {
  private static let controls =
    (0..<0x20).compactMap(Unicode.Scalar.init) + (0x7F..<0xA0).compactMap(Unicode.Scalar.init)
    + ["\u{2028}", "\u{2029}"]

  @Test(arguments: controls)
  func `cannot be made from a control`(control: Unicode.Scalar) throws {
    let text = "Garden\(Character(control))Bcc: eve@example.org"
    #expect(throws: HeaderFieldError.invalidCharacter(.subject)) {
      try HeaderField(.subject, .text(text))
    }
    #expect(throws: HeaderFieldError.invalidCharacter(.messageID)) {
      try HeaderField(.messageID, .token(text))
    }
    let address = try #require(Mailbox("news@example.org")).address
    #expect(Mailbox(name: text, address: address) == nil)
  }

  @Test(arguments: ["é", "\u{A0}", "“"])
  func `a token is ASCII`(text: String) {
    #expect(throws: HeaderFieldError.invalidCharacter(.messageID)) {
      try HeaderField(.messageID, .token(text))
    }
  }

  @Test func `a token is at most a line`() throws {
    let name = HeaderField.Name.listUnsubscribe.rawValue
    let longest = String(repeating: "x", count: 998 - name.utf8.count - 2)
    #expect(try HeaderField(.listUnsubscribe, .token(longest)).line.utf8.count == 1000)
    #expect(throws: HeaderFieldError.tooLong(.listUnsubscribe)) {
      try HeaderField(.listUnsubscribe, .token(longest + "x"))
    }
  }

  @Test(
    arguments: [
      ("Hello", "Hello"),
      ("", ""),
      ("Grüße", "=?UTF-8?B?R3LDvMOfZQ==?="),
      ("=?UTF-8?B?R2FyZGVu?=", "=?UTF-8?B?PT9VVEYtOD9CP1IyRnlaR1Z1Pz0=?="),
      (" Hello", "=?UTF-8?B?IEhlbGxv?="),
      ("Two  spaces", "=?UTF-8?B?VHdvICBzcGFjZXM=?="),
    ]
  )
  func `text other than plain ASCII becomes encoded words`(text: String, body: String) throws {
    #expect(try HeaderField(.subject, .text(text)).body == body)
  }

  @Test func `long ASCII is folded at spaces`() throws {
    let text = Array(repeating: "word", count: 40).joined(separator: " ")
    let field = try HeaderField(.subject, .text(text))
    #expect(field.line.replacing("\r\n ", with: " ") == "Subject: \(text)\r\n")
    for line in field.line.split(separator: "\r\n") { #expect(line.utf8.count <= 76) }
  }

  @Test(
    arguments: [
      String(repeating: "ü", count: 100), String(repeating: "园", count: 100),
      String(repeating: "👩‍🌾", count: 40), String(repeating: "x", count: 500),
      "a" + String(repeating: "\u{301}", count: 80),
    ]
  )
  func `encoded words are short, and each decodes on its own`(text: String) throws {
    let field = try HeaderField(.subject, .text(text))
    var decoded = ""
    for (index, line) in field.line.dropLast().split(separator: "\r\n").enumerated() {
      #expect(line.utf8.count <= 76)
      let word = index == 0 ? line.dropFirst("Subject: ".count) : line.dropFirst()
      #expect(word.utf8.count <= 75)
      #expect(word.hasPrefix("=?UTF-8?B?") && word.hasSuffix("?="))
      let data = try #require(Data(base64Encoded: String(word.dropFirst(10).dropLast(2))))
      decoded += try #require(String(validating: data, as: UTF8.self))
    }
    #expect(Array(decoded.unicodeScalars) == Array(text.unicodeScalars))
  }

  @Test func `no text makes a second field`() throws {
    var generator = RandomNumbers()
    for _ in 0..<2000 {
      let scalars = (0..<Int.random(in: 0..<60)).compactMap { _ in
        Unicode.Scalar(UInt32.random(in: 0..<0x300, using: &generator))
      }
      let text = String(String.UnicodeScalarView(scalars))
      guard let field = try? HeaderField(.subject, .text(text)) else { continue }
      let lines = field.line.components(separatedBy: "\r\n")
      #expect(lines.last?.isEmpty == true)
      for line in lines.dropLast() {
        #expect(!line.contains("\r") && !line.contains("\n"))
        #expect(line.utf8.allSatisfy { 0x20...0x7E ~= $0 })
      }
      for line in lines.dropFirst().dropLast() { #expect(line.hasPrefix(" ")) }
    }
  }
}
