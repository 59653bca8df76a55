import Delivery
import EmailAddresses
import Testing

@Suite struct MailboxTests {
  @Test(
    arguments: [
      ("news@example.org", nil),
      ("<news@example.org>", nil),
      ("Garden Letters <news@example.org>", "Garden Letters"),
      ("  Garden  <news@example.org>", "Garden"),
      ("Gärten <news@example.org>", "Gärten"),
      ("A <b> <news@example.org>", "A <b>"),
    ] as [(String, String?)]
  )
  func `parses an address with or without a name`(text: String, name: String?) throws {
    let mailbox = try #require(Mailbox(text))
    #expect(mailbox.name == name)
    #expect(mailbox.address.normalized == "news@example.org")
  }

  @Test(
    arguments: [
      "", "news", "Garden <news>", "Garden news@example.org>", "Garden <news@example.org",
      "Garden <news@example.org> x", "gärten@example.org", "Garden <gärten@example.org>",
      "Garden\nLetters <news@example.org>", "Garden <>",
      String(repeating: "x", count: 201) + " <news@example.org>",
    ]
  )
  func `rejects text that is not a mailbox`(text: String) {
    #expect(Mailbox(text) == nil)
  }

  @Test(
    arguments: [
      ("Garden Letters", "Garden Letters <news@example.org>"),
      ("Letters, The", "\"Letters, The\" <news@example.org>"),
      ("The \"G\" \\ L", "\"The \\\"G\\\" \\\\ L\" <news@example.org>"),
      ("a@b", "\"a@b\" <news@example.org>"),
      ("Two  spaces", "\"Two  spaces\" <news@example.org>"),
      ("Gärten", "=?UTF-8?B?R8OkcnRlbg==?= <news@example.org>"),
      ("=?x?=", "=?UTF-8?B?PT94Pz0=?= <news@example.org>"),
    ]
  )
  func `writes a name as atoms, a quoted string or encoded words`(name: String, body: String) throws
  {
    let address = try EmailAddress(validating: "news@example.org")
    let mailbox = try #require(Mailbox(name: name, address: address))
    #expect(try HeaderField(.from, .mailbox(mailbox)).body == body)
  }

  @Test func `folds a long name before the address`() throws {
    let address = try EmailAddress(validating: "news@example.org")
    let name = String(repeating: "Garden ", count: 20)
    let mailbox = try #require(Mailbox(name: name, address: address))
    let lines = try HeaderField(.from, .mailbox(mailbox)).line.split(separator: "\r\n")
    #expect(lines.last == " <news@example.org>")
    for line in lines { #expect(line.utf8.count <= 76) }
  }

  @Test func `quotes a local part with doubled dots`() throws {
    let mailbox = Mailbox(try EmailAddress(validating: "a..b@docomo.ne.jp"))
    #expect(try HeaderField(.to, .mailbox(mailbox)).body == "\"a..b\"@docomo.ne.jp")
  }

  @Test func `a mailbox keeps its name`() throws {
    let named = try #require(Mailbox("Garden <news@example.org>"))
    #expect(named.named("Other").name == "Garden")
    let other = try #require(Mailbox("news@example.org"))
    #expect(other.named("Other").name == "Other")
    #expect(other.named("\n").name == nil)
  }
}
