import TestSupport
import Testing

@Suite struct ExportTests {
  @Test func `export succeeds when its reader closes the pipe early`() throws {
    let service = try RunningService()
    #expect(try service.signUp("ana@example.com").status == 202)
    let export = try ChildProcess(
      "enlist",
      ["export"],
      in: service.folder,
      // Standard output is a pipe whose reader ends before the export starts.
      through: ["bash", "-c", #"exec > >(true); wait $!; exec "$@""#, "bash"]
    )
    #expect(try export.wait() == .exit(0))
    #expect(export.standardError.isEmpty)
  }

  @Test func `export writes one object per line as ndjson`() throws {
    let service = try RunningService()
    #expect(try service.signUp("ana@example.com").status == 202)
    let export = try ChildProcess("enlist", ["export", "--format", "ndjson"], in: service.folder)
    let line = try #require(try export.readLine())
    #expect(line.hasPrefix(#"{"id":1,"address":"ana@example.com","state":"#))
    #expect(try export.readLine() == nil)
    #expect(try export.wait() == .exit(0))
  }

  @Test func `export writes one state, count counts all, and show prints one person`() throws {
    let service = try RunningService(RunningService.mailFlags)
    for name in ["ana", "bea", "cleo"] {
      #expect(try service.signUp("\(name)@example.com").status == 202)
    }
    let mail = try #require(
      try service.waitForMails(3).first { $0.contains("\nTo: bea@example.com\n") })
    _ = try service.request("POST", try mail.firstLink("confirm"), body: "")
    func run(_ arguments: String...) throws -> CommandRun {
      try CommandRun(arguments, in: service.folder)
    }
    let pending = try run("export", "--state", "pending").output
    #expect(pending.contains("ana@example.com") && pending.contains("cleo@example.com"))
    #expect(!pending.contains("bea@example.com"))
    #expect(try run("export", "--state", "left").end == .exit(64))
    #expect(try run("count").output == "pending 2\nsubscribed 1\nunsubscribed 0\nsuppressed 0\n")
    let shown = try run("show", "BEA@example.com")
    #expect(shown.end == .exit(0))
    #expect(shown.output.hasPrefix(#"{"id":2,"address":"bea@example.com","state":"subscribed""#))
    #expect(shown.output.contains(#""kind":"confirmed""#))
    #expect(shown.output.contains(#""mails":{"waiting":[],"last":["20"#))
    #expect(shown.output.split(separator: "\n").count == 1)
    #expect(try run("suppress", "--reason", "complaint", "ana@example.com").end == .exit(0))
    #expect(try run("show", "ana@example.com").output.contains(#""reason":"complaint","#))
    let missing = try run("show", "dora@example.com", "bea@example.com")
    #expect(missing.end == .exit(1))
    #expect(missing.errors == "enlist: 1 address is not on the list\n")
    #expect(missing.output == shown.output)
  }

  @Test func `show needs no secret, and names the times of mails only with it`() throws {
    let secret = ["--secret", String(repeating: "QUFB", count: 11)]
    let service = try RunningService(RunningService.mailFlags + secret)
    #expect(try service.signUp("ana@example.com").status == 202)
    _ = try service.waitForMails(1)
    for (arguments, times) in [([], false), (secret, true)] {
      let shown = try CommandRun(["show", "ana@example.com"] + arguments, in: service.folder)
      #expect(shown.end == .exit(0), "\(shown.errors)")
      #expect(shown.output.contains(#""last":["20"#) == times)
    }
  }

  @Test func `export reports a missing database in one line`() throws {
    let folder = try TemporaryFolder()
    let export = try ChildProcess("enlist", ["export"], in: folder)
    #expect(try export.wait() == .exit(1))
    #expect(export.standardError.hasPrefix("enlist: "))
    #expect(export.standardError.utf8.count { $0 == 10 } == 1)
    #expect(export.standardError.contains("enlist.sqlite"))
  }
}
