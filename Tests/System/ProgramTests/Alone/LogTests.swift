import Glibc
import TestSupport
import Testing

/// Tests that the log never blocks the service and that clients cannot flood it.
@Suite struct LogTests {
  /// Sends requests that libmicrohttpd rejects, one connection after the other.
  private func sendMalformed(_ count: Int, to service: RunningService) throws {
    for _ in 0..<count {
      let client = try service.connect()
      try client.send("GET /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: +1\r\n\r\n")
      try #require(try client.readHead().status == 400)
    }
  }

  private func medianOfSignUps(_ prefix: String, _ service: RunningService) throws -> Duration {
    let times = try (0..<21).map { number in
      try ContinuousClock().measure {
        let response = try service.signUp("\(prefix)\(number)@example.com")
        #expect(response.status == 202)
      }
    }
    return times.sorted()[times.count / 2]
  }

  @Test func `a log without a reader delays neither sign-ups nor the exit`() throws {
    let service = try RunningService(["--log-level", "trace", "--drain", "0s"], errorOutput: .pipe)
    let before = try medianOfSignUps("before", service)
    try sendMalformed(10_000, to: service)
    let after = try medianOfSignUps("after", service)
    // Waiting for the log would block them forever; the time allows for a busy machine.
    #expect(after < before + .milliseconds(250))
    #expect(try service.request("GET", "/readyz").status == 200)
    service.process.send(signal: SIGTERM)
    #expect(try service.process.wait(by: Deadline(after: .seconds(3))) == .exit(0))
  }

  @Test func `a log reader that resumes gets the number of dropped lines`() throws {
    let service = try RunningService(["--log-level", "trace", "--drain", "0s"], errorOutput: .pipe)
    try sendMalformed(6_000, to: service)
    var notice: String?
    while notice == nil, let line = try service.process.readErrorLine() {
      if line.contains("log lines dropped") { notice = line }
    }
    #expect(notice?.wholeMatch(of: /\S+ warning enlist: [1-9][0-9]* log lines dropped/) != nil)
  }

  @Test func `an error at startup does not wait for a reader of the log`() throws {
    let process = try ChildProcess(
      "enlist", ["--listen", "nowhere"],
      through: ["sh", "-c", "head -c 4096 /dev/zero >&2; exec \"$0\" \"$@\""], errorOutput: .pipe)
    #expect(try process.wait() == .exit(64))
  }

  @Test(arguments: ["Content-Length: +1", "Host: again"])
  func `a thousand malformed requests cause one log line`(_ field: String) throws {
    let service = try RunningService()
    let request = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n\r\n"
    let before = service.process.standardError.split(separator: "\n").count
    for _ in 0..<1000 {
      let client = try service.connect()
      try client.send(request)
      try #require(try client.readHead().status == 400)
    }
    service.process.send(signal: SIGTERM)
    #expect(try service.process.wait() == .exit(0))
    let lines = service.process.standardError.split(separator: "\n").dropFirst(before)
    let malformed = lines.filter { $0.contains("malformed requests: ") }
    // If this takes more than a minute on a slow machine, a line with a count is added.
    #expect((1...4).contains(malformed.count))
    #expect(lines.count - malformed.count <= 5, "\(lines)")
  }
}
