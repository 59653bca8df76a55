import Delivery
import EmailAddresses
import MailingList
import Security
import Testing

@Suite struct MailComposerTests {
  private static let languages = ["en", "de", "es", "fr", "zh-Hans"]

  @Test(arguments: MailKind.allCases, languages)
  func `no line is longer than SMTP and MIME allow`(kind: MailKind, language: String) throws {
    let composer = try MailComposer.sample(
      .sample(
        listName: String(repeating: "Gärten & Wiesen ", count: 12),
        publicURL: "https://\(String(repeating: "list.", count: 40))example.org"))
    let message = try composer.message(for: .golden(kind, locale: language), at: .sample)
    let (fields, body) = try Self.parts(of: message)
    for line in fields {
      #expect(line.utf8.count <= 998)
      if line.contains("=?") { #expect(line.utf8.count <= 76) }
    }
    for line in body { #expect(line.utf8.count <= 76) }
    #expect(message.bytes.allSatisfy { $0 < 0x80 })
    #expect(message.bytes.count <= MailMessage.maximumBytes)
  }

  @Test(arguments: MailKind.allCases, languages)
  func `links lead to the public URL only, and nothing is loaded`(
    kind: MailKind, language: String
  ) throws {
    let credentials = try MailComposer.sample().credentials(for: .golden(kind, locale: language))
    let html = credentials.wording.html
    for part in html.split(separator: "href=\"").dropFirst() {
      #expect(part.hasPrefix("{{confirmURL}}\"") || part.hasPrefix("{{unsubscribeURL}}\""))
    }
    for word in ["src=", "url(", "@import", "http:", "https:", "<script", "<img", "<form"] {
      #expect(!html.contains(word))
    }
    #expect(html.components(of: "<table").count == 2)
    #expect(!credentials.wording.text.contains("http"))
  }

  @Test func `contains the header fields that a confirmation needs, once and in order`() throws {
    let message = try MailComposer.sample().message(for: .golden(), at: .sample)
    let (fields, _) = try Self.parts(of: message)
    let names = fields.filter { !$0.hasPrefix(" ") }.map { $0.prefix { $0 != ":" } }
    #expect(
      names == [
        "From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted",
        "X-Auto-Response-Suppress", "List-Id", "List-Unsubscribe", "List-Unsubscribe-Post",
        "Content-Language", "MIME-Version", "Content-Type",
      ]
    )
  }

  @Test func `replies go where the operator wants them`() throws {
    let office = try #require(Mailbox("Office <office@example.org>"))
    let identity = MailIdentity(
      from: try #require(Mailbox("news@example.org")), replyTo: office,
      profile: ListProfile(name: "Garden Letters"), publicURL: "https://list.example.org/")
    let message = try MailComposer.sample(identity).message(for: .golden(), at: .sample)
    #expect(message.lines.contains("Reply-To: Office <office@example.org>"))
    #expect(message.text.contains("<https://list.example.org/unsubscribe/"))
  }

  @Test(arguments: ["en", "de", "es", "fr", "zh-Hans"])
  func `a test says so in its subject and in both parts`(language: String) throws {
    let mail = try ClaimedMail.golden(locale: language)
    let test = try MailComposer.sample().message(for: mail, at: .sample, isTest: true)
    let usual = try MailComposer.sample().message(for: mail, at: .sample)
    // Subjects in other languages are encoded.
    if language == "en" { #expect(test.text.contains("\r\nSubject: [Test] Confirm your ")) }
    #expect(!usual.text.contains("[Test]"))
    #expect(test.bytes.count > usual.bytes.count + 100)
  }

  @Test func `mails show the logo, the color and the links of the owner`() throws {
    var profile = ListProfile(name: "Garden Letters")
    profile.privacyURL = "https://garden.example/privacy"
    profile.imprintURL = "https://garden.example/imprint"
    profile.accent = AccentColor("#7a1f5c")
    profile.logo = ListProfile.Logo([], .png)
    for (scheme, showsLogo) in [("https", true), ("http", false)] {
      let identity = MailIdentity(
        from: try #require(Mailbox("news@example.org")), profile: profile,
        publicURL: "\(scheme)://list.example.org")
      let text = try MailComposer.sample(identity).message(for: .golden(), at: .sample).text
        .replacing("=\r\n", with: "")
      #expect(text.contains("://list.example.org/logo\"") == showsLogo)
      #expect(text.contains("bgcolor=3D\"#7a1f5c\""))
      #expect(text.contains("\r\nPrivacy: https://garden.example/privacy\r\n"))
      #expect(text.contains("<a class=3D\"link\" href=3D\"https://garden.example/imprint\""))
    }
  }

  @Test func `each attempt has the same Message-ID, links and code`() throws {
    let composer = try MailComposer.sample()
    let later = Timestamp.sample.adding(.seconds(3600))
    let first = try composer.message(for: .golden(), at: .sample)
    let second = try composer.message(for: .golden(), at: later)
    #expect(first.messageID == second.messageID)
    let changed = zip(first.lines, second.lines).filter { $0 != $1 }.map(\.0)
    #expect(changed == ["Date: Sun, 22 Nov 2026 08:00:00 +0000"])
  }

  @Test func `a mail without a code does not mention one`() throws {
    let composer = try MailComposer.sample(.sample(sendsCode: false))
    let message = try composer.message(for: .golden(), at: .sample)
    #expect(!message.text.contains("466408"))
    #expect(!message.text.contains("type this code"))
    #expect(try composer.credentials(for: .golden()).codeHash == nil)
  }

  @Test func `a mail without a footer ends with the link`() throws {
    let composer = try MailComposer.sample(.sample(footer: ""))
    let text = try composer.credentials(for: .golden()).wording.text
    #expect(text.hasSuffix("{{unsubscribeURL}}\n"))
  }

  @Test func `the credentials are the hashes of what the message says`() throws {
    let composer = try MailComposer.sample()
    let keys = try MailKeys.sample()
    let mail = try ClaimedMail.golden()
    let credentials = composer.credentials(for: mail)
    let id = mail.id.bytes
    #expect(credentials.confirmHash == keys.token(.confirm, ofMail: id).hash)
    #expect(credentials.unsubscribeHash == keys.token(.unsubscribe, ofMail: id).hash)
    #expect(credentials.codeHash == keys.hash(of: keys.code(ofMail: id), for: 7))
    #expect(credentials.messageID == "gnbvt3o6dabbreszs5r4exib7q@example.org")
    #expect(try composer.message(for: mail, at: .sample).text.contains(credentials.messageID))
  }

  @Test func `a mail about an existing subscription has nothing to confirm`() throws {
    let composer = try MailComposer.sample()
    let credentials = try composer.credentials(for: .golden(.already))
    #expect(credentials.confirmHash == nil)
    #expect(credentials.codeHash == nil)
    #expect(!(try composer.message(for: .golden(.already), at: .sample).text.contains("/confirm/")))
  }

  @Test func `a wording has names instead of values, and its own hash`() throws {
    let composer = try MailComposer.sample()
    var hashes: Set<[UInt8]> = []
    for kind in MailKind.allCases {
      for language in Self.languages {
        let wording = try composer.credentials(for: .golden(kind, locale: language)).wording
        #expect(wording.language == language)
        #expect(wording.kind == kind)
        #expect(wording.text.contains("{{unsubscribeURL}}"))
        #expect(wording.text.contains("{{code}}") == (kind == .confirm))
        hashes.insert(wording.hash)
      }
    }
    #expect(hashes.count == 10)
    #expect(hashes.allSatisfy { $0.count == 32 })
  }

  @Test func `an address with other than ASCII is sent as UTF-8`() throws {
    let mail = try ClaimedMail.golden(to: "rené@example.org")
    let message = try MailComposer.sample().message(for: mail, at: .sample)
    #expect(message.lines.contains("To: rené@example.org"))
  }

  @Test(
    arguments: [
      (nil, "en"), ("en-GB", "en"), ("de-AT", "de"), ("DE", "de"), ("fr_CA", "fr"),
      ("es-419", "es"), ("zh", "zh-Hans"), ("zh-CN", "zh-Hans"), ("nl", "en"), ("", "en"),
      ("dex", "en"),
    ] as [(String?, String)]
  )
  func `a mail has the language of its sign-up`(locale: String?, language: String) throws {
    let message = try MailComposer.sample().message(for: .golden(locale: locale), at: .sample)
    #expect(message.lines.contains("Content-Language: \(language)"))
  }

  @Test(
    arguments: [
      ("zh-TW", "zh-Hant"), ("zh-HK", "zh-Hant"), ("zh-CN", "zh-Hans"), ("zh", "zh-Hans"),
      ("sr-ME", "sr-Latn"), ("sr-RS", "sr"),
    ]
  )
  func `a mail has the script of the region, if the owner has texts in it`(
    locale: String, language: String
  ) throws {
    let texts = Dictionary(
      uniqueKeysWithValues: ["sr", "sr-Latn", "zh-Hant"].map { ($0, ["": ""]) })
    let composer = try MailComposer(.sample(), MailTemplates(texts: texts), .sample())
    let message = try composer.message(for: .golden(locale: locale), at: .sample)
    #expect(message.lines.contains("Content-Language: \(language)"))
  }

  @Test(arguments: MailIdentity.hostileListNames)
  func `a hostile name of the list stays text`(name: String) throws {
    let composer = try MailComposer.sample(.sample(listName: name))
    let message = try composer.message(for: .golden(), at: .sample)
    let (fields, _) = try Self.parts(of: message)
    #expect(fields.count { !$0.hasPrefix(" ") } == 13)
    #expect(!(try composer.credentials(for: .golden()).wording.html.contains("<Letters>")))
  }

  @Test(arguments: [
    "Garden\r\nBcc: eve@example.org", "Garden\nLetters", "Garden\u{85}Letters", "\0",
  ])
  func `rejects a name of the list with a control`(name: String) throws {
    let identity = try MailIdentity.sample(from: "News <news@example.org>", listName: name)
    #expect(throws: TemplateError.self) { try MailComposer.sample(identity) }
  }

  /// Splits a message into the lines of its header and of its body.
  private static func parts(
    of message: MailMessage
  ) throws -> (fields: ArraySlice<String>, body: ArraySlice<String>) {
    let lines = message.lines
    let end = try #require(lines.firstIndex(of: ""))
    return (lines[..<end], lines[end...])
  }
}

extension String {
  /// The pieces between occurrences of a text.
  fileprivate func components(of text: String) -> [Substring] {
    split(separator: text, omittingEmptySubsequences: false)
  }
}
