import MailingList
import TestSupport
import Testing

@testable import enlist

@Suite struct SuppressTests {
  @Test func `suppress keeps addresses from getting mail, whether they are on the list or not`()
    throws
  {
    let service = try Enlist(.mail)
    try service.signUp("ana@example.com").expect(202)
    _ = try service.mails(1)
    let one = try service.run("suppress", "ana@example.com", "bob@example.com")
    #expect(one.end == .exit(0), "\(one.errors)")
    #expect(one.output == "suppressed 2 addresses, 1 of them not on the list\n")
    let suppressed = try service.people()
    #expect(suppressed == ["ana@example.com": "suppressed"])
    try service.signUp("bob@example.com").expect(202)
    try service.signUp("eve@example.com").expect(202)
    let mails = try service.mails(2)
    #expect(!mails.contains { $0.contains("bob@example.com") })
    let people = try service.people()
    #expect(people["bob@example.com"] == "suppressed")
  }

  @Test func `with single opt-in, a suppressed address is not subscribed when it is signed up`()
    throws
  {
    let service = try Enlist()
    let outcome = try service.run("suppress", "bob@example.com")
    #expect(outcome.output == "suppressed 1 address, 1 of them not on the list\n")
    for name in ["bob", "eve"] { try service.signUp("\(name)@example.com").expect(202) }
    let people = try service.people()
    #expect(people == ["bob@example.com": "suppressed", "eve@example.com": "subscribed"])
  }

  @Test func `suppress reads addresses from standard input, and repeats nothing`() throws {
    let service = try Enlist()
    try service.signUp("ana@example.com").expect(202)
    let first = try service.run("suppress", "-", input: "ana@example.com\r\n")
    #expect(first.output == "suppressed 1 address\n", "\(first.errors)")
    let again = try service.run("suppress", "ana@example.com")
    #expect(again.output == "suppressed 0 addresses; 1 already suppressed\n", "\(again.errors)")
  }

  @Test func `an invalid address makes suppress change nothing, and is not printed`() throws {
    let service = try Enlist()
    try service.signUp("ana@example.com").expect(202)
    let outcome = try service.run("suppress", "ana@example.com", "secretive")
    #expect(outcome.end == .exit(1))
    let reason = "address 2 is invalid: An address needs an @ sign."
    #expect(outcome.errors == "enlist: nothing was suppressed: \(reason)\n")
    let people = try service.people()
    #expect(people == ["ana@example.com": "subscribed"])
  }

  @Test func `the summary counts what has changed`() {
    #expect(Suppress.summary(of: [.suppressed]) == "suppressed 1 address")
    #expect(
      Suppress.summary(of: [.suppressed, .unlisted, .already, .already])
        == "suppressed 2 addresses, 1 of them not on the list; 2 already suppressed"
    )
  }
}
