import TestSupport
import Testing

@Suite struct ExportTests {
  @Test func `a reader who has read enough is no failure`() throws {
    let service = try RunningService()
    #expect(try service.signUp("ana@example.com").status == 202)
    let export = try ChildProcess(
      "enlist",
      ["export"],
      in: service.folder,
      // Its standard output is a pipe whose reader has ended before it begins.
      through: ["bash", "-c", #"exec > >(true); wait $!; exec "$@""#, "bash"]
    )
    #expect(try export.wait() == .exit(0))
    #expect(export.standardError.isEmpty)
  }

  @Test func `writes one object a line`() throws {
    let service = try RunningService()
    #expect(try service.signUp("ana@example.com").status == 202)
    let export = try ChildProcess("enlist", ["export", "--format", "ndjson"], in: service.folder)
    let line = try #require(try export.readLine())
    #expect(line.hasPrefix(#"{"id":1,"address":"ana@example.com","state":"#))
    #expect(try export.readLine() == nil)
    #expect(try export.wait() == .exit(0))
  }

  @Test func `says in one line that there is no database`() throws {
    let folder = try TemporaryFolder()
    let export = try ChildProcess("enlist", ["export"], in: folder)
    #expect(try export.wait() == .exit(1))
    #expect(export.standardError.hasPrefix("enlist: "))
    #expect(export.standardError.utf8.count { $0 == 10 } == 1)
    #expect(export.standardError.contains("enlist.sqlite"))
  }
}
