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

  @Test(arguments: ["suppress", "erase"])
  func `all invalid addresses are reported by position, change nothing, and can be left out`(
    _ command: String
  ) throws {
    let service = try Enlist()
    try service.signUp("ana@example.com").expect(202)
    let input = "Email\nana@example.com\n\nsecretive\r\n"
    let none = try service.run(command, "-", "@secretive", input: input).expect(1)
    let reports = [
      "line 1 is invalid: An address needs an @ sign.",
      "line 4 is invalid: An address needs an @ sign.",
      "address 2 is invalid: Something is missing before the @.",
    ]
    let done = "\(command)\(command == "erase" ? "d" : "ed")"
    #expect(
      none.errors == "enlist: nothing was \(done): "
        + reports.joined(separator: "\nenlist: ")
        + " To leave out what is invalid, add --skip-invalid.\n")
    #expect(none.output == "")
    let addresses = try service.addresses()
    #expect(addresses == ["ana@example.com"])
    let some = try service.run(command, "-", "@secretive", "--skip-invalid", input: input).expect(0)
    #expect(some.errors == reports.map { "enlist: warning: \($0)\n" }.joined())
    #expect(some.output.hasPrefix("\(done) 1 "), "\(some.output)")
    let people = try service.people()
    #expect(people["ana@example.com"] != "subscribed")
  }

  @Test func `of many invalid addresses, some are reported and the rest counted`() throws {
    let service = try Enlist()
    let input = String(repeating: "secretive\n", count: 1_000)
    let none = try service.run("suppress", "-", input: input).expect(1)
    #expect(none.errors.utf8.count { $0 == 10 } == 21)
    #expect(none.errors.contains("\nenlist: 980 more are invalid. To leave"), "\(none.errors)")
  }

  @Test func `the summary counts what has changed`() {
    #expect(Suppress.summary(of: [.suppressed]) == "suppressed 1 address")
    #expect(
      Suppress.summary(of: [.suppressed, .unlisted, .already, .already])
        == "suppressed 2 addresses, 1 of them not on the list; 2 already suppressed"
    )
  }
}
