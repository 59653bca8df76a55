import MailingList
import TestSupport
import Testing

@testable import enlist

@Suite struct SuppressTests {
  private func suppress(
    _ arguments: [String], input: String = "", in folder: TemporaryFolder
  ) throws -> CommandRun {
    try CommandRun(["suppress"] + arguments, input: input, in: folder)
  }

  @Test func `suppress keeps addresses from getting mail, whether they are on the list or not`()
    throws
  {
    let service = try RunningService(RunningService.mailFlags)
    #expect(try service.signUp("ana@example.com").status == 202)
    _ = try service.waitForMails(1)
    let one = try suppress(["ana@example.com", "bob@example.com"], in: service.folder)
    #expect(one.end == .exit(0), "\(one.errors)")
    #expect(one.output == "suppressed 2 addresses, 1 of them not on the list\n")
    #expect(try service.exportedStates() == ["ana@example.com": "suppressed"])
    #expect(try service.signUp("bob@example.com").status == 202)
    #expect(try service.signUp("eve@example.com").status == 202)
    let mails = try service.waitForMails(2)
    #expect(!mails.contains { $0.contains("bob@example.com") })
    #expect(try service.exportedStates()["bob@example.com"] == "suppressed")
  }

  @Test func `with single opt-in, a suppressed address is not subscribed when it is signed up`()
    throws
  {
    let service = try RunningService()
    let outcome = try suppress(["bob@example.com"], in: service.folder)
    #expect(outcome.output == "suppressed 1 address, 1 of them not on the list\n")
    for name in ["bob", "eve"] {
      #expect(try service.signUp("\(name)@example.com").status == 202)
    }
    #expect(
      try service.exportedStates()
        == ["bob@example.com": "suppressed", "eve@example.com": "subscribed"]
    )
  }

  @Test func `suppress reads addresses from standard input, and repeats nothing`() throws {
    let service = try RunningService()
    #expect(try service.signUp("ana@example.com").status == 202)
    let first = try suppress(["-"], input: "ana@example.com\r\n", in: service.folder)
    #expect(first.output == "suppressed 1 address\n")
    let again = try suppress(["ana@example.com"], in: service.folder)
    #expect(again.output == "suppressed 0 addresses; 1 already suppressed\n")
  }

  @Test func `an invalid address makes suppress change nothing, and is not printed`() throws {
    let service = try RunningService()
    #expect(try service.signUp("ana@example.com").status == 202)
    let outcome = try suppress(["ana@example.com", "secretive"], in: service.folder)
    #expect(outcome.end == .exit(1))
    let reason = "address 2 is invalid: An address needs an @ sign."
    #expect(outcome.errors == "enlist: nothing was suppressed: \(reason)\n")
    #expect(try service.exportedStates() == ["ana@example.com": "subscribed"])
  }

  @Test func `the summary counts what has changed`() {
    #expect(Suppress.summary(of: [.suppressed]) == "suppressed 1 address")
    #expect(
      Suppress.summary(of: [.suppressed, .unlisted, .already, .already])
        == "suppressed 2 addresses, 1 of them not on the list; 2 already suppressed"
    )
  }
}
