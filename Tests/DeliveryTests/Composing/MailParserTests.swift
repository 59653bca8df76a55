import Delivery
import MailingList
import TestSupport
import Testing

/// Messages as another program reads them: Python's `email`.
@Suite(.timeLimit(.minutes(15))) struct MailParserTests {
  /// Prints the defects of a message, its decoded fields, and its parts.
  private static let program = """
    import email, email.policy, sys
    message = email.message_from_bytes(sys.stdin.buffer.read(), policy=email.policy.default)
    for part in message.walk():
        for defect in part.defects: print("defect", defect)
        for name, value in part.items():
            for defect in value.defects: print("defect", name, defect)
    print("from", message["from"])
    print("subject", message["subject"])
    for part in message.iter_parts():
        content = part.get_content()
        print(part.get_content_type(), content.count("\\n"), ascii(content.splitlines()[0]))
    """

  @Test(
    arguments: MailKind.allCases,
    ["Garden Letters", "Gärten & Wiesen \"2026\"", "园艺通讯", "Ü" + String(repeating: "ñ", count: 90)]
  )
  func `a parser finds no defect and the same text`(kind: MailKind, name: String) throws {
    let composer = try MailComposer.sample(.sample(listName: name))
    let mail = try ClaimedMail.golden(kind, locale: "de")
    let message = try composer.message(for: mail, at: .sample)
    let wording = composer.credentials(for: mail).wording
    let process = try ChildProcess(
      environment: ["PYTHONIOENCODING": "utf-8"],
      input: message.bytes,
      through: ["python3", "-B", "-c", Self.program]
    )
    let output = String(decoding: try process.readOutput(), as: UTF8.self)
    #expect(try process.wait() == .exit(0))
    let lines = output.split(separator: "\n")
    try #require(lines.count == 4)
    #expect(lines[0].hasPrefix("from "))
    #expect(lines[0].hasSuffix("<news@example.org>"))
    #expect(lines[1] == "subject \(wording.subject)")
    #expect(lines[2].hasPrefix("text/plain \(wording.text.count { $0 == "\n" }) "))
    #expect(lines[3] == "text/html \(wording.html.count { $0 == "\n" }) '<!doctype html>'")
  }
}
