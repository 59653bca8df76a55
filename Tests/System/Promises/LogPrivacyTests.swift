import TestSupport
import Testing

/// Tests that a service whose log identifies someone fails its test.
///
/// The name of the list, a setting, is a text that the log contains.
@Suite struct LogPrivacyTests {
  @Test func `an address, a token or a code in the log is noticed`() throws {
    let service = try Enlist(.mail)
    try service.signUp("ana@example.com").expect(202)
    let mail = try service.mail(to: "ana@example.com")
    let token = try mail.link("confirm").suffix(43)
    for name in ["token-\(token)", "code-\(mail.code)", "ana%40example.com"] {
      try withKnownIssue {
        let leaking = try Enlist(.mail + ["--list-name", name], in: try copy(of: service))
        try leaking.signUp("ana@example.com").expect(202)
      } matching: {
        $0.error == nil
      }
    }
  }

  /// The list and the mails of a service, which goes on.
  private func copy(of service: Enlist) throws -> Folder {
    let folder = try Folder()
    try #require(try Child.run(["cp", "-r", service.folder("mail"), folder.path]).end == .exit(0))
    return folder
  }
}
