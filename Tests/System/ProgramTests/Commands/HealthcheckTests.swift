import TestSupport
import Testing

@Suite struct HealthcheckTests {
  private func check(_ listener: LocalListener) throws -> ChildProcess {
    try ChildProcess("enlist", ["healthcheck", "--listen", "127.0.0.1:\(listener.port)"])
  }

  @Test func `healthcheck requests readyz and exits with 0 if the service is ready`() throws {
    let listener = try LocalListener()
    let process = try check(listener)
    let connection = try listener.accept()
    #expect(try connection.readLine() == "GET /readyz HTTP/1.1")
    try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    #expect(try process.wait() == .exit(0))
    #expect(process.standardError.isEmpty)
  }

  @Test func `healthcheck exits with 1 if the service is not ready`() throws {
    let listener = try LocalListener()
    let process = try check(listener)
    let connection = try listener.accept()
    try connection.send("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
    #expect(try process.wait() == .exit(1))
    #expect(process.standardError.hasSuffix("is not ready: status 503\n"))
  }

  @Test func `healthcheck exits with 1 if the connection is refused`() throws {
    let listener = try LocalListener(refuses: true)
    let process = try check(listener)
    #expect(try process.wait() == .exit(1))
    #expect(process.standardError.hasSuffix("is not ready: Connection refused\n"))
  }

  @Test func `healthcheck exits with 1 if no response arrives in time`() throws {
    let listener = try LocalListener()
    let process = try check(listener)
    let connection = try listener.accept()
    #expect(try process.wait() == .exit(1))
    #expect(process.standardError.hasSuffix("is not ready: no response in time\n"))
    connection.close()
  }

  @Test(arguments: ["SSH-2.0-server\r\n", "HTTP/1.1 2000 OK\r\n", "HTTP/1.1 ok!\r\n", ""])
  func `healthcheck exits with 1 if the response is not HTTP`(_ response: String) throws {
    let listener = try LocalListener()
    let process = try check(listener)
    let connection = try listener.accept()
    try connection.send(response)
    connection.finishSending()
    #expect(try process.wait() == .exit(1))
    #expect(process.standardError.hasSuffix("is not ready: the response is not HTTP\n"))
  }

  @Test func `healthcheck reads a response that arrives byte by byte`() throws {
    let listener = try LocalListener()
    let process = try check(listener)
    let connection = try listener.accept()
    try connection.sendByteByByte("HTTP/1.1 200 OK\r\n\r\n")
    connection.close()
    #expect(try process.wait() == .exit(0))
  }

  @Test func `healthcheck uses the loopback address for a service on all addresses`() throws {
    let listener = try LocalListener()
    let process = try ChildProcess(
      "enlist", ["healthcheck"], environment: ["ENLIST_LISTEN": "0.0.0.0:\(listener.port)"])
    let connection = try listener.accept()
    try connection.send("HTTP/1.1 200 OK\r\n\r\n")
    #expect(try process.wait() == .exit(0))
  }
}
