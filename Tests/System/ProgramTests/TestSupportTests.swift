import Glibc
import TestSupport
import Testing

/// Tests of the test helpers with handwritten responses.
@Suite struct TestSupportTests {
  private func connected() throws -> (client: SocketClient, server: SocketClient) {
    let listener = try LocalListener()
    let client = try SocketClient(port: listener.port)
    return (client, try listener.accept())
  }

  @Test func `a client reads a body with a known length, and the next response`() throws {
    let (client, server) = try connected()
    try client.request("POST", "/x", fields: ["Accept: */*"], body: "a=b")
    #expect(try server.readLine() == "POST /x HTTP/1.1")
    try server.send(
      "HTTP/1.1 100 Continue\r\n\r\n"
        + "HTTP/1.1 202 Accepted\r\ncontent-length: 2\r\nX:1\r\n\r\nok"
        + "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
    )
    let first = try client.readResponse()
    #expect(first.status == 202)
    #expect(first.text == "ok")
    #expect(first["x"] == "1")
    #expect(try client.readResponse().status == 404)
  }

  @Test func `a client reads a chunked body`() throws {
    let (client, server) = try connected()
    try server.sendByteByByte(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1;x=y\r\nd\r\n0\r\n\r\n")
    #expect(try client.readResponse().text == "abcd")
  }

  @Test func `a client reads a body that ends with the connection`() throws {
    let (client, server) = try connected()
    try server.send("HTTP/1.0 200 OK\r\n\r\nabc")
    server.finishSending()
    #expect(try client.readResponse().text == "abc")
  }

  @Test func `a client detects a truncated body`() throws {
    let (client, server) = try connected()
    try server.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab")
    server.close()
    #expect(throws: TestSystemError.closed) { try client.readResponse() }
  }

  @Test func `a response to HEAD has no body`() throws {
    let (client, server) = try connected()
    try server.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n")
    #expect(try client.readResponse(to: "HEAD").body.isEmpty)
  }

  @Test func `a client reads an event stream block by block`() throws {
    let (client, server) = try connected()
    try server.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    for chunk in ["retry: 3000\n: ok\n", "id: a-1\nevent: star", "ted\ndata: {}\n\n", ":\n"] {
      try server.send("\(String(chunk.utf8.count, radix: 16))\r\n\(chunk)\r\n")
    }
    try server.send("0\r\n\r\n")
    #expect(try client.readHead().status == 200)
    let block = try #require(try client.readEvent())
    #expect(block.retry == "3000")
    #expect(block.comments == ["ok"])
    #expect(block.id == "a-1")
    #expect(block.event == "started")
    #expect(block.data == "{}")
    #expect(try client.readEvent() == nil)
  }

  @Test func `a read fails at the deadline`() throws {
    let (client, server) = try connected()
    #expect(throws: TestSystemError.timeout) {
      try client.readResponse(by: Deadline(after: .milliseconds(20)))
    }
    server.close()
  }

  @Test func `a client detects a reset connection`() throws {
    let (client, server) = try connected()
    try server.reset()
    #expect(throws: TestSystemError.system("recv", errno: ECONNRESET)) {
      try client.readToEnd()
    }
  }

  @Test func `a child process gets its folder and environment, and reports its end`() throws {
    let folder = try TemporaryFolder()
    let process = try ChildProcess(
      "enlist", ["--version"], environment: ["NAME": "value"], in: folder,
      through: ["sh", "-c", "pwd; echo $NAME; echo oh >&2; kill -TERM $$"])
    #expect(try process.readLine() == folder.path)
    #expect(try process.readLine() == "value")
    #expect(try process.wait() == .signal(SIGTERM))
    #expect(process.standardError == "oh\n")
  }
}
