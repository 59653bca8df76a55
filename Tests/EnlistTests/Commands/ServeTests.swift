import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct ServeTests {
  @Test(arguments: [SIGTERM, SIGINT])
  func `serve exits with 0 on a Unix signal after printing one line`(_ signal: Int32) throws {
    let service = try RunningService(["--drain", "0s"])
    service.process.send(signal: signal)
    #expect(try service.process.wait() == .exit(0))
    #expect(try service.process.readLine() == nil)
  }

  @Test func `serve passes its own health check`() throws {
    let service = try RunningService()
    let check = try ChildProcess(
      "enlist",
      ["healthcheck", "--listen", "127.0.0.1:\(service.port)"]
    )
    #expect(try check.wait() == .exit(0))
  }

  @Test func `serve warns in one line if connections exceed the descriptors`() throws {
    let service = try RunningService(["--threads", "1"], through: ["prlimit", "--nofile=200"])
    #expect(try service.request("GET", "/livez").status == 200)
    let warnings = try service.endAndReadLog().split(separator: "\n").filter {
      $0.contains(" warning ")
    }
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("from 20000 to 104") == true)
  }
}
