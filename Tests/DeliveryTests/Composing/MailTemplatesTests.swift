import Delivery
import Glibc
import MailingList
import TestSupport
import Testing

/// Templates of the operator, and what is said about those that cannot be used.
@Suite struct MailTemplatesTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
  }

  private func compose(_ kind: MailKind = .confirm, in language: String) throws -> MailMessage {
    let composer = try MailComposer.sample(templates: folder.path)
    return try composer.message(for: .golden(kind, locale: language), at: .sample)
  }

  private func error() throws -> String? {
    do {
      _ = try MailComposer.sample(templates: folder.path)
      return nil
    } catch let error as TemplateError {
      return error.description
    }
  }

  @Test func `an empty directory changes nothing`() throws {
    let own = try MailComposer.sample().message(for: .golden(), at: .sample)
    #expect(try compose(in: "en") == own)
  }

  @Test func `mails are the same with the service's own templates from a directory`() throws {
    for file in MailTemplates.builtInFiles { try folder.write(file.content, to: file.name) }
    for kind in MailKind.allCases {
      for language in ["en", "de", "zh-Hans"] {
        let mail = try ClaimedMail.golden(kind, locale: language)
        let own = try MailComposer.sample().message(for: mail, at: .sample)
        #expect(try compose(kind, in: language) == own)
      }
    }
  }

  @Test func `a template of a language wins over that of all languages`() throws {
    try folder.write("All {{confirmURL}} {{unsubscribeURL}}\n", to: "confirm.txt")
    try folder.write("Deutsch {{confirmURL}} {{unsubscribeURL}}\n", to: "confirm.de.txt")
    #expect(try compose(in: "en").text.contains("\r\nAll https://list.example.org/confirm/"))
    #expect(try compose(in: "de").text.contains("\r\nDeutsch https://list.example.org/confirm/"))
    #expect(!(try compose(.already, in: "en").text.contains("\r\nAll ")))
  }

  @Test(arguments: ["\n", "\r\n"])
  func `the first line may be the subject`(end: String) throws {
    try folder.write(
      ["Subject: Hello from {{list}} & friends", "", "{{confirmURL}} {{unsubscribeURL}}", ""]
        .joined(separator: end),
      to: "confirm.txt"
    )
    let message = try compose(in: "de")
    #expect(message.lines.contains("Subject: Hello from Garden Letters & friends"))
    #expect(message.text.contains("quoted-printable\r\n\r\nhttps://list.example.org/confirm/"))
    #expect(message.text.contains("<title>Hello from Garden Letters &amp; friends</title>"))
  }

  @Test func `values are escaped in HTML, and unchanged in text`() throws {
    let identity = try MailIdentity.sample(listName: "<b>\"A\" & 'B'</b>")
    let wording = try MailComposer.sample(identity).credentials(for: .golden()).wording
    #expect(wording.text.contains("<b>\"A\" & 'B'</b>"))
    #expect(wording.html.contains("&lt;b&gt;&quot;A&quot; &amp; &#39;B&#39;&lt;/b&gt;"))
    #expect(!wording.html.contains("<b>"))
  }

  @Test func `all names can be used, also where a mail has no value for them`() throws {
    let names = MailTemplates.names.map { "{{\($0)}}" }.joined(separator: " ")
    for kind in MailKind.allCases {
      try folder.write("\(names) {{text.intro}} {{#code}}{{.}}{{/code}}\n", to: "\(kind.name).txt")
    }
    #expect(try error() == nil)
  }

  @Test(
    arguments: [
      (
        "{{confirmURL}}\n{{unsubscribeURL}}\n   {{#code}}\n",
        "confirm.de.txt:4:1: section is not closed"
      ),
      (
        "{{confirmURL}}\n{{unsubscribeURL}} {{#code}}{{/footer}}\n",
        "confirm.de.txt:2:32: the name differs from that of the open section"
      ),
      ("{{confirmURL}} {{unsubscribeURL}}\n  {{nmae}}\n", "confirm.de.txt:2:3: unknown name nmae"),
      (
        "{{confirmURL}} {{unsubscribeURL}}\n\n{{text.hello}}\n",
        "confirm.de.txt:3:1: unknown name text.hello"
      ),
      (
        "{{confirmURL}} {{unsubscribeURL}} {{> other}}\n",
        "confirm.de.txt:1:35: partials are not supported"
      ),
      (
        "{{=<% %>=}}<%confirmURL%> <%unsubscribeURL%>\n",
        "confirm.de.txt:1:1: other delimiters are not supported"
      ),
      (
        "{{confirmURL}} {{unsubscribeURL}}\n" + String(repeating: "{{#code}}", count: 20)
          + String(repeating: "{{/code}}", count: 20),
        "confirm.de.txt:2:145: more than 16 sections are inside one another"
      ),
      ("{{unsubscribeURL}}\n", "confirm.de.txt: {{confirmURL}} is missing"),
      ("{{confirmURL}}\n", "confirm.de.txt: {{unsubscribeURL}} is missing"),
      (
        "Subject: {{lsit}}\n{{confirmURL}} {{unsubscribeURL}}\n",
        "confirm.de.txt:1:1: unknown name lsit"
      ),
      ("Subject:\n{{confirmURL}} {{unsubscribeURL}}\n", "confirm.de.txt:1:1: the subject is empty"),
      (
        "Subject: A\tB\n{{confirmURL}} {{unsubscribeURL}}\n",
        "confirm.de.txt:1:1: the subject contains a control character"
      ),
    ]
  )
  func `says which template is wrong, and where`(source: String, description: String) throws {
    try folder.write(source, to: "confirm.de.txt")
    #expect(try error() == description)
  }

  @Test func `reports a tag that is not closed in its line`() throws {
    try folder.write("{{confirmURL}} {{unsubscribeURL}}\n{{code\n", to: "confirm.txt")
    let description = try #require(try error())
    #expect(description.hasPrefix("confirm.txt:"))
  }

  @Test func `sections may follow one another, and be inside one another 16 deep`() throws {
    let nested =
      String(repeating: "{{#code}}", count: 16) + String(repeating: "{{/code}}", count: 16)
    let links = "{{confirmURL}} {{unsubscribeURL}}\n"
    try folder.write(links + String(repeating: "\(nested)\n", count: 10), to: "confirm.txt")
    #expect(try error() == nil)
  }

  @Test func `the links count with the length that they have in mails`() throws {
    // 900 of each are 30 KB as names, and 140 KB as URLs.
    let links = String(repeating: "{{confirmURL}}{{unsubscribeURL}}\n", count: 900)
    try folder.write(links, to: "confirm.html")
    #expect(try error() == "confirm.html: text and HTML have more than 49152 bytes together")
  }

  @Test func `a symbolic link to a template is followed`() throws {
    try folder.write("Linked {{confirmURL}} {{unsubscribeURL}}\n", to: "other.txt")
    #expect(symlink("other.txt", folder("confirm.txt")) == 0)
    #expect(try compose(in: "en").text.contains("\r\nLinked https://list.example.org/confirm/"))
  }

  @Test func `a path that is not a file is reported, without waiting or reading on`() throws {
    let path = folder("confirm.txt")
    #expect(mkfifo(path, 0o600) == 0)
    #expect(try error() == "confirm.txt: the path is not a file")
    #expect(unlink(path) == 0)
    #expect(symlink("/dev/zero", path) == 0)
    #expect(try error() == "confirm.txt: the path is not a file")
    #expect(unlink(path) == 0)
    #expect(mkdir(path, 0o700) == 0)
    #expect(try error() == "confirm.txt: the path is not a file")
    #expect(rmdir(path) == 0)
    #expect(symlink("missing.txt", path) == 0)
    #expect(try error() == "confirm.txt: the file cannot be read")
  }

  @Test func `rejects templates that are too long`() throws {
    let links = "{{confirmURL}} {{unsubscribeURL}}\n"
    let long = String(repeating: "é", count: MailTemplates.maximumBytes / 6)
    try folder.write(links + long, to: "confirm.html")
    #expect(try error() == "confirm.html: text and HTML have more than 49152 bytes together")
    try folder.write(links + long + long + long, to: "confirm.html")
    #expect(try error() == "confirm.html: the file is longer than 49152 bytes")
  }
}
