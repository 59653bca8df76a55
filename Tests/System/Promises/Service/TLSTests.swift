import Glibc
import TestSupport
import Testing

/// Tests of the service with its own certificate and without a proxy.
@Suite struct TLSTests {
  private func curl(_ arguments: String...) throws -> Child.Outcome {
    try Child.run(["curl", "-sk", "--max-time", "10"] + arguments)
  }

  @Test func `the service responds, stores and streams over HTTPS`() throws {
    let service = try Enlist(["--drain", "0s"], certificate: TestCertificate())
    let url = "https://127.0.0.1:\(service.port)"
    #expect(service.process.output == "listening on \(url)\n")
    let alive = try curl("\(url)/livez")
    #expect(alive.output == #"{"status":"alive"}"#)
    let signUp = try curl("-w", "%{http_code}", "-d", "email=a@example.org", "\(url)/subscribers")
    #expect(signUp.output.hasSuffix("202"), "\(signUp)")
    let id = try #require(signUp.output.firstMatch(of: /"id":"([^"]+)"/)).1
    let stream = try curl("\(url)/executions/\(id)/events")
    #expect(stream.output.contains("event: completed"), "\(stream)")
    let end = try service.process.wait(after: SIGTERM)
    #expect(end == .exit(0))
  }

  @Test func `clients without TLS or with an old version get no response`() throws {
    let service = try Enlist(["--drain", "0s"], certificate: TestCertificate())
    let plain = try curl("http://127.0.0.1:\(service.port)/livez")
    #expect(plain.output.isEmpty)
    #expect(throws: TestSystemError.malformed("A TLS fatal alert has been received.")) {
      _ = try service.connect("TLS1.1")
    }
    let client = try service.connect("TLS1.2")
    try client.request("GET", "/livez")
    try client.readResponse().expect(200)
    let end = try service.process.wait(after: SIGTERM)
    #expect(end == .exit(0))
  }

  /// Its connection cannot be taken over, so a stream has what is there, and the client comes back.
  @Test func `a client of event streams over TLS 1.2 resumes without a gap`() throws {
    let service = try Enlist(certificate: TestCertificate())
    let client = try service.connect("TLS1.2")
    func events(_ path: String, after id: Substring? = nil) throws -> String {
      try client.request("GET", path, fields: id.map { ["Last-Event-ID: \($0)"] } ?? [])
      let response = try client.readResponse()
      response.expect(200)
      return response.text
    }
    let none = try events("/status")
    let first = try #require(none.wholeMatch(of: /retry: [6-9]\d{3}\n: ok\nid: (\S+)\n\n/)).1
    let signedUp = try service.signUp("ana@example.com")
    signedUp.expect(202)
    let all = try events("/status", after: first)
    #expect(all.matches(of: /event: (\w+)/).map(\.1) == ["started", "completed"])
    let last = try #require(all.matches(of: /id: (\S+)/).last).1
    try service.signUp("bea@example.com").expect(202)
    let more = try events("/status", after: last)
    #expect(more.matches(of: /event: (\w+)/).map(\.1) == ["started", "completed"])

    let id = try #require(signedUp.text.firstMatch(of: /"id":"([^"]+)"/)).1
    let execution = try events("/executions/\(id)/events")
    #expect(execution.matches(of: /event: (\w+)/).map(\.1) == ["started", "completed"])
    let end = try #require(execution.matches(of: /id: (\S+)/).last).1
    try client.request("GET", "/executions/\(id)/events", fields: ["Last-Event-ID: \(end)"])
    try client.readResponse().expect(204)
  }

  @Test func `healthcheck uses TLS`() throws {
    let service = try Enlist(["--drain", "0s"], certificate: TestCertificate())
    let address = "127.0.0.1:\(service.port)"
    let check = try service.run(
      "healthcheck", "--listen", address, "--tls-certificate", "tls.crt", "--tls-key", "tls.key")
    #expect(check.end == .exit(0), "\(check.errors)")
    let without = try service.run("healthcheck", "--listen", address)
    #expect(without.end == .exit(1), "\(without.errors)")
    let plain = try Enlist()
    let outcome = try plain.run(
      "healthcheck", "--listen", "127.0.0.1:\(plain.port)", "--tls-certificate", "tls.crt")
    #expect(outcome.end == .exit(1))
    #expect(outcome.errors.hasSuffix("is not ready: it does not speak TLS\n"), "\(outcome.errors)")
    let end = try service.process.wait(after: SIGTERM)
    #expect(end == .exit(0))
  }

  @Test func `a missing or invalid certificate or key stops startup with one line`() throws {
    let folder = try Folder()
    try TestCertificate().write(to: folder)
    try folder.write(String(decoding: TestCertificate().key, as: UTF8.self), to: "other.key")
    #expect(chmod(folder("other.key"), 0o600) == 0)
    for (certificate, key, line) in [
      (
        "tls.crt", "other.key",
        #""tls.crt" for --tls-certificate: cannot be used with --tls-key other.key: "#
      ),
      (
        "tls.key", "tls.key",
        #""tls.key" for --tls-certificate: cannot be used with --tls-key tls.key: "#
      ),
      (
        "none.crt", "tls.key",
        #""none.crt" for --tls-certificate: the file cannot be read: No such file"#
      ),
      ("tls.crt", "none.key", #""none.key" for --tls-key: the file cannot be read: No such file"#),
      ("tls.crt", "none", #""none" for --tls-key: --tls-certificate requires --tls-key"#),
      ("none", "tls.key", #""none" for --tls-certificate: --tls-key requires --tls-certificate"#),
    ] {
      let outcome = try Child.run(
        ["enlist", "serve", "--listen", "127.0.0.1:0"]
          + ["--tls-certificate", certificate, "--tls-key", key], in: folder)
      #expect(outcome.end == .exit(64), "\(certificate) \(key)")
      #expect(outcome.errors.hasPrefix("enlist: invalid value \(line)"), "\(outcome.errors)")
      #expect(outcome.errors.utf8.count { $0 == 10 } == 1, "\(outcome.errors)")
    }
  }
}
