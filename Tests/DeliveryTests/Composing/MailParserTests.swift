import Delivery
import MailingList
import TestSupport
import Testing

/// Messages as another program reads them: Python's `email`.
@Suite struct MailParserTests {
  /// Prints the defects of a message, its decoded fields, and its parts.
  ///
  /// The name of the sender is decoded by the older functions: the newer ones of Python 3.11 keep the
  /// space between two encoded words of a name, which RFC 2047 §6.2 ignores.
  private static let program = """
    import email, email.header, email.policy, email.utils, sys
    content = sys.stdin.buffer.read()
    message = email.message_from_bytes(content, policy=email.policy.default)
    for part in message.walk():
        for defect in part.defects: print("defect", defect)
        for name, value in part.items():
            for defect in value.defects: print("defect", name, defect)
    name, address = email.utils.parseaddr(email.message_from_bytes(content)["from"])
    print("from", email.header.make_header(email.header.decode_header(name)), address)
    print("to", message["to"])
    print("subject", message["subject"])
    print("language", message["content-language"])
    print("parts", *(part.get_content_type() for part in message.iter_parts()))
    for part in message.iter_parts():
        print(part.get_content().replace("\\r\\n", "\\n"), end="<end>")
    """

  @Test(arguments: MailKind.allCases, ["en", "de", "es", "fr", "zh-Hans"])
  func `a parser finds no defect in the mail of any language, and the same text`(
    kind: MailKind, language: String
  ) throws {
    try parse(.sample(), .golden(kind, locale: language), in: language)
  }

  @Test(arguments: MailKind.allCases, MailIdentity.hostileListNames)
  func `a parser finds no defect in a mail about a list with a hostile name`(
    kind: MailKind, name: String
  ) throws {
    try parse(.sample(listName: name), .golden(kind, locale: "de"), in: "de", fromName: name)
  }

  /// Expects that the parser reads what the composer wrote.
  private func parse(
    _ identity: MailIdentity, _ mail: ClaimedMail, in language: String,
    fromName: String = "Garden Letters"
  ) throws {
    let composer = try MailComposer.sample(identity)
    let message = try composer.message(for: mail, at: .sample)
    let wording = composer.credentials(for: mail).wording
    let python = try Child.run(
      ["python3", "-B", "-c", Self.program], environment: ["PYTHONIOENCODING": "utf-8"],
      input: String(decoding: message.bytes, as: UTF8.self))
    #expect(python.end == .exit(0), "\(python.errors)")
    // The wording has names where the message has values, so their lines are compared.
    let lines = python.output.split(separator: "\n", omittingEmptySubsequences: false)
    try #require(lines.count > 5)
    #expect(lines[0] == "from \(fromName) news@example.org")
    #expect(lines[1] == "to ada@example.org")
    #expect(lines[2] == "subject \(wording.subject)")
    #expect(lines[3] == "language \(language)")
    #expect(lines[4] == "parts text/plain text/html")
    let parts = lines[5...].joined(separator: "\n").split(separator: "<end>")
    try #require(parts.count == 2)
    for (part, expected) in zip(parts, [wording.text, wording.html]) {
      let received = part.split(separator: "\n", omittingEmptySubsequences: false)
      let written = expected.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(received.count == written.count)
      for (line, wordingLine) in zip(received, written) where !wordingLine.contains("{{") {
        #expect(line == wordingLine)
      }
    }
  }
}
