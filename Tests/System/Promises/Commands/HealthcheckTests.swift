import TestSupport
import Testing

@Suite struct HealthcheckTests {
  private static let isNotHTTP = "the response is not HTTP"

  @Test(
    arguments: [
      ("HTTP/1.1 200 OK\r\n\r\n", 0, ""), ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 0, ""),
      ("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n", 1, "status 503"),
      ("SSH-2.0-server\r\n", 1, isNotHTTP), ("HTTP/1.1 2000 OK\r\n", 1, isNotHTTP),
      ("HTTP/1.1 ok!\r\n", 1, isNotHTTP), ("", 1, isNotHTTP), (nil, 1, "no response in time"),
    ] as [(String?, Int32, String)]
  )
  func `healthcheck requests readyz, and says why the service is not ready`(
    _ response: String?, _ code: Int32, _ reason: String
  ) throws {
    let listener = try LocalListener()
    // The service listens on all addresses, of which the check uses the loopback.
    let check = try Child(
      ["enlist", "healthcheck"], environment: ["ENLIST_LISTEN": "0.0.0.0:\(listener.port)"])
    let connection = try listener.accept()
    let request = try connection.readLine()
    #expect(request == "GET /readyz HTTP/1.1")
    if let response {
      // A check that has read enough may have ended.
      try? connection.sendByteByByte(response)
      if !response.hasSuffix("\r\n\r\n") { connection.finishSending() }
    }
    let end = try check.wait()
    #expect(end == .exit(code))
    #expect(
      code == 0 ? check.errors.isEmpty : check.errors.hasSuffix(" is not ready: \(reason)\n"),
      "\(check.errors)")
  }

  @Test func `healthcheck exits with 1 if the connection is refused`() throws {
    let listener = try LocalListener(refuses: true)
    let address = "127.0.0.1:\(listener.port)"
    let check = try Child.run(["enlist", "healthcheck", "--listen", address]).expect(1)
    #expect(check.errors == "enlist: \(address) is not ready: Connection refused\n")
  }
}
