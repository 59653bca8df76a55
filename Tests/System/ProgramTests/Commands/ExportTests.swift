import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct ExportTests {
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

  @Test func `export reports a missing database in one line`() throws {
    let folder = try TemporaryFolder()
    let export = try ChildProcess("enlist", ["export"], in: folder)
    #expect(try export.wait() == .exit(1))
    #expect(export.standardError.hasPrefix("enlist: "))
    #expect(export.standardError.utf8.count { $0 == 10 } == 1)
    #expect(export.standardError.contains("enlist.sqlite"))
  }
}
