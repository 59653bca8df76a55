import Glibc
import TestSupport
import Testing

/// Tests of the operator's listener, over real sockets.
@Suite struct OperatorListenerTests {
  @Test func `metrics need a key with the scope, and a revoked key is rejected at once`() throws {
    let service = try Enlist(.operating)
    let reader = try service.makeKey("read")
    let key = try service.makeKey("metrics,read")
    try service.operatorRequest("GET", "/metrics", key: reader).expect(403)
    let response = try service.operatorRequest("GET", "/metrics", key: key).expect(200)
    #expect(response["Cross-Origin-Resource-Policy"] == "same-origin")
    #expect(response["Access-Control-Allow-Origin"] == nil)
    #expect(response.text.contains("enlist_key_failures_total{cause=\"scope\"} 1\n"))
    let id = String(key.dropFirst(7).prefix(8))
    let revoked = try service.run("keys", "revoke", id)
    #expect(revoked.output == "revoked \(id)\n", "\(revoked.errors)")
    try service.operatorRequest("GET", "/metrics", key: key).expect(401)
    // A secret that was given by mistake is not printed.
    let again = try service.run("keys", "revoke", key)
    #expect(again.output == "\(id) was revoked before\n", "\(again.errors)")
  }

  @Test func `the list of keys says when and from where a key was used, and by which page`() throws
  {
    let service = try Enlist(.operating)
    let key = try service.makeKey()
    let origin = "https://shop.example"
    try service.operatorRequest("GET", "/metrics", key: key, fields: ["Origin: \(origin)"])
      .expect(403)
    // The use is stored after the response.
    let line = try eventually("a list of keys with \(origin)") {
      let list = try service.run("keys", "list", "--format", "json").output
      return list.contains(origin) ? list : nil
    }
    for part in [
      "\"last_used_from\":\"127.0.0.0/24\"", "\"scopes\":[\"metrics\"]", "\"status\":\"valid\"",
      ":00.000Z\",\"last_used_from\"",
    ] { #expect(line.contains(part)) }
    #expect(!line.contains(key.dropFirst(15)))
    let text = try service.run("keys", "list").output.split(separator: "\n")
    #expect(text.count == 2)
    #expect(text.first?.hasPrefix("ID        NAME  SCOPES   STATUS") == true, "\(text)")
    #expect(text.last?.hasSuffix(origin) == true, "\(text)")
    let log = try service.stop()
    #expect(log.contains("a page in a browser used a key"))
    #expect(!log.contains(key.dropFirst(15)))
  }

  @Test func `health checks, problems and the description need no key`() throws {
    let service = try Enlist(.operating)
    for path in ["/livez", "/readyz", "/openapi.json", "/problems/unauthorized"] {
      let response = try service.operatorRequest("GET", path).expect(200)
      #expect(response["Cross-Origin-Resource-Policy"] == "same-origin", "\(path)")
      let head = try service.operatorRequest("HEAD", path).expect(200)
      #expect(head.body.isEmpty, "\(path)")
    }
    for path in ["/metrics", "/openapi-operator.json"] { try service.get(path).expect(404) }
  }

  @Test func `a request with a malformed head cannot be embedded either`() throws {
    let service = try Enlist(.operating)
    let response = try service.operatorRequest("GET", "/livez", fields: ["Host: b"]).expect(400)
    #expect(response["Cross-Origin-Resource-Policy"] == "same-origin")
  }

  @Test func `each request has a log line at debug, without the key`() throws {
    let service = try Enlist(.operating + ["--log-level", "debug"])
    let key = try service.makeKey("metrics,read")
    try service.operatorRequest("GET", "/metrics", key: key).expect(200)
    try service.operatorRequest("GET", "/api/counts", key: key).expect(200)
    try service.operatorRequest("GET", "/problems/unauthorized").expect(200)
    try service.operatorRequest("GET", "/secretive").expect(404)
    let log = try service.stop()
    for route in ["/metrics", "/api/counts", "/problems/{name}", "none"] {
      #expect(log.contains(" method=GET route=\(route) status="), "\(route)")
    }
    #expect(!log.contains(key.suffix(38)) && !log.contains("secretive"))
  }

  @Test func `the setting limits the connections, and sign-ups go on`() throws {
    let service = try Enlist(.operating + ["--operator-max-connections", "3"])
    let port = try service.operatorPort()
    // Connections that have had a response are counted for certain.
    let clients = try (0..<3).map { _ in
      let client = try Client(port: port)
      try client.request("GET", "/livez")
      try client.readResponse().expect(200)
      return client
    }
    let further = try Client(port: port)
    try? further.request("GET", "/livez")
    let status = try? further.readResponse().status
    #expect(status != 200)
    try service.signUp("ana@example.org").expect(202)
    clients.first?.close()
    try eventually("a response to a further connection") {
      (try? service.operatorRequest("GET", "/livez").status) == 200
    }
    let log = try service.stop()
    #expect(log.contains(" operator-max-connections=3"))
  }

  @Test func `plain HTTP beyond this machine is warned about`() throws {
    let warning = "--operator-listen serves plain HTTP beyond this machine"
    for (host, isWarned) in [("0.0.0.0", true), ("127.0.0.1", false)] {
      let service = try Enlist(["--operator-listen", "\(host):0"])
      _ = try service.operatorPort()
      let log = try service.stop()
      #expect(log.contains(warning) == isWarned, "\(host)")
    }
  }

  @Test func `the listener can be a Unix socket`() throws {
    let folder = try Folder()
    let path = folder("operator.sock")
    let service = try Enlist(["--operator-listen", "unix:\(path)"], in: folder)
    let client = try Client(path: path)
    try client.request("GET", "/livez")
    try client.readResponse().expect(200)
    _ = try service.stop()
    #expect(access(path, F_OK) != 0)
  }

  @Test func `an address that is in use stops startup`() throws {
    let service = try Enlist(.operating)
    let address = "127.0.0.1:\(try service.operatorPort())"
    let second = try Child.run(
      ["enlist", "serve", "--listen", "127.0.0.1:0", "--operator-listen", address],
      in: try Folder())
    #expect(second.end == .exit(1))
    #expect(second.errors.contains("Address already in use"))
  }

  @Test func `both listeners present the certificate, also after a reload`() throws {
    let first = try TestCertificate()
    let service = try Enlist(.operating, certificate: first)
    func presented() throws -> [[UInt8]] {
      let client = try Client(port: try service.operatorPort())
      try client.shakeHands("NORMAL:-VERS-ALL:+VERS-TLS1.3")
      return [try service.connect().peerCertificate, client.peerCertificate]
    }
    let certificates = try presented()
    #expect(certificates == [first.encoded, first.encoded])
    let second = try TestCertificate()
    try service.present(second)
    try eventually("the new certificate") {
      try presented() == [second.encoded, second.encoded]
    }
  }
}
