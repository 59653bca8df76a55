import Glibc
import TestSupport
import Testing

/// Tests of the operator's listener, over real sockets.
@Suite struct OperatorListenerTests {
  @Test func `metrics need a key with the scope, and a revoked key is rejected at once`() throws {
    let service = try RunningService(RunningService.operatorFlags)
    #expect(try service.operatorRequest("GET", "/metrics").status == 401)
    let reader = try service.makeKey("read")
    let key = try service.makeKey("metrics,read")
    #expect(try service.operatorRequest("GET", "/metrics", key: reader).status == 403)
    let response = try service.operatorRequest("GET", "/metrics", key: key)
    #expect(response.status == 200)
    #expect(response["Cross-Origin-Resource-Policy"] == "same-origin")
    #expect(response["Access-Control-Allow-Origin"] == nil)
    #expect(response.text.contains("enlist_key_failures_total{cause=\"scope\"} 1\n"))
    let id = String(key.dropFirst(7).prefix(8))
    #expect(try service.keys(["revoke", id]) == ["revoked \(id)"])
    #expect(try service.operatorRequest("GET", "/metrics", key: key).status == 401)
    // A secret that was given by mistake is not printed.
    #expect(try service.keys(["revoke", key]) == ["\(id) was revoked before"])
  }

  @Test func `the list of keys says when and from where a key was used, and by which page`() throws
  {
    let service = try RunningService(RunningService.operatorFlags)
    let key = try service.makeKey()
    let origin = "https://shop.example"
    #expect(
      try service.operatorRequest("GET", "/metrics", key: key, fields: ["Origin: \(origin)"]).status
        == 403
    )
    // The use is stored after the response.
    let line = try Deadline.soon.value {
      try service.keys(["list", "--format", "json"]).first { $0.contains(origin) }
    }
    #expect(line.contains("\"last_used_from\":\"127.0.0.0/24\""))
    #expect(line.contains("\"scopes\":[\"metrics\"]"))
    #expect(line.contains("\"status\":\"valid\""))
    #expect(line.contains(":00.000Z\",\"last_used_from\""))
    #expect(!line.contains(key.dropFirst(15)))
    let text = try service.keys(["list"])
    #expect(text.count == 2)
    #expect(text.first?.hasPrefix("ID        NAME  SCOPES   STATUS") == true)
    #expect(text.last?.hasSuffix(origin) == true)
    let log = try service.endAndReadLog()
    #expect(log.contains("a page in a browser used a key"))
    #expect(!log.contains(key) && !log.contains(key.dropFirst(15)))
  }

  @Test func `health checks, problems and the description need no key`() throws {
    let service = try RunningService(RunningService.operatorFlags)
    for path in ["/livez", "/readyz", "/openapi.json", "/problems/unauthorized"] {
      let response = try service.operatorRequest("GET", path)
      #expect(response.status == 200, "\(path)")
      #expect(response["Cross-Origin-Resource-Policy"] == "same-origin")
      #expect(try service.operatorRequest("OPTIONS", path).status == 405)
      #expect(try service.operatorRequest("HEAD", path).body.isEmpty)
    }
    #expect(try service.operatorRequest("GET", "/subscribers").status == 404)
    for path in ["/metrics", "/openapi-operator.json"] {
      #expect(try service.request("GET", path).status == 404)
    }
  }

  @Test func `a request with a malformed head cannot be embedded either`() throws {
    let service = try RunningService(RunningService.operatorFlags)
    let client = try SocketClient(port: try service.operatorPort())
    try client.send("GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
    let response = try client.readResponse()
    #expect(response.status == 400)
    #expect(response["Cross-Origin-Resource-Policy"] == "same-origin")
  }

  @Test func `each request has a log line at debug, without the key`() throws {
    let service = try RunningService(RunningService.operatorFlags + ["--log-level", "debug"])
    let key = try service.makeKey()
    #expect(try service.operatorRequest("GET", "/metrics", key: key).status == 200)
    #expect(try service.operatorRequest("GET", "/problems/unauthorized").status == 200)
    #expect(try service.operatorRequest("GET", "/secretive").status == 404)
    let log = try service.endAndReadLog()
    for route in ["/metrics", "/problems/{name}", "none"] {
      #expect(log.contains(" method=GET route=\(route) status="), "\(route)")
    }
    #expect(!log.contains(key.suffix(38)) && !log.contains("secretive"))
  }

  @Test func `the setting limits the connections, and sign-ups go on`() throws {
    let service = try RunningService(
      RunningService.operatorFlags + ["--operator-max-connections", "3"])
    let port = try service.operatorPort()
    // Connections that have had a response are counted for certain.
    let clients = try (0..<3).map { _ in
      let client = try SocketClient(port: port)
      try client.request("GET", "/livez")
      #expect(try client.readResponse().status == 200)
      return client
    }
    let further = try SocketClient(port: port)
    try? further.request("GET", "/livez")
    #expect((try? further.readResponse().status) != 200)
    #expect(try service.signUp("ana@example.org").status == 202)
    clients.first?.close()
    try Deadline.soon.wait {
      (try? service.operatorRequest("GET", "/livez").status) == 200
    }
    #expect(try service.endAndReadLog().contains(" operator-max-connections=3"))
  }

  @Test func `plain HTTP beyond this machine is warned about`() throws {
    let warning = "--operator-listen serves plain HTTP beyond this machine"
    let open = try RunningService(["--operator-listen", "0.0.0.0:0"])
    _ = try open.operatorPort()
    #expect(try open.endAndReadLog().contains(warning))
    let local = try RunningService(RunningService.operatorFlags)
    _ = try local.operatorPort()
    #expect(try !local.endAndReadLog().contains(warning))
  }

  @Test func `the listener can be a Unix socket`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path(of: "operator.sock")
    let service = try RunningService(["--operator-listen", "unix:\(path)"], in: folder)
    let client = try SocketClient(path: path)
    try client.request("GET", "/livez")
    #expect(try client.readResponse().status == 200)
    _ = try service.endAndReadLog()
    #expect(access(path, F_OK) != 0)
  }

  @Test func `an address that is in use stops startup`() throws {
    let service = try RunningService(RunningService.operatorFlags)
    let port = try service.operatorPort()
    let second = try ChildProcess(
      "enlist", ["serve", "--listen", "127.0.0.1:0", "--operator-listen", "127.0.0.1:\(port)"],
      in: try TemporaryFolder())
    #expect(try second.wait() == .exit(1))
    #expect(second.standardError.contains("Address already in use"))
  }

  @Test func `both listeners present the certificate, also after a reload`() throws {
    let first = try TestCertificate()
    let service = try SecureService(first, RunningService.operatorFlags)
    let port = try Deadline.soon.value {
      RunningService.operatorPort(in: service.process.standardError)
    }
    func certificate() throws -> [UInt8]? {
      let client = try SocketClient(port: port)
      try client.shakeHands("NORMAL:-VERS-ALL:+VERS-TLS1.3")
      return client.peerCertificate
    }
    #expect(try certificate() == first.encoded)
    let second = try TestCertificate()
    try service.reload(second)
    try service.waitForNewConnections(toSee: second)
    try Deadline.soon.wait { try certificate() == second.encoded }
  }
}
