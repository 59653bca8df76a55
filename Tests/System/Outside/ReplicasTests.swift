import Glibc
import TestSupport
import Testing

/// Tests of replicas behind the nginx of `compose.yaml`.
@Suite(
  .enabled(if: Child.finds("nginx"), "nginx is not installed: Scripts/bootstrap all"),
  .needsPostgreSQL)
struct ReplicasTests {
  private let server: PostgreSQLServer
  private let replicas: [Enlist]
  private let nginx: Nginx

  init() throws {
    server = try PostgreSQLServer()
    let location = ["--database", server.url(of: "postgres")]
    replicas = [try Enlist(location), try Enlist(location)]
    let folder = replicas[0].folder
    nginx = try Nginx(file: Self.configuration(of: replicas, in: folder), in: folder)
  }

  /// The configuration of `compose.yaml` for two services, with the Unix socket of the tests.
  private static func configuration(of services: [Enlist], in folder: Folder) throws -> String {
    let configuration = try Document("compose/nginx.conf").text
      .replacing("replica-1:8080", with: "127.0.0.1:\(services[0].port)")
      .replacing("replica-2:8080", with: "127.0.0.1:\(services[1].port)")
      .replacing("/tmp/", with: "")
      .replacing("listen 8080;", with: Nginx.listen(in: folder))
      // The address of a client of a Unix socket.
      .replacing(
        "access_log off;",
        with: "access_log off; set_real_ip_from unix:; real_ip_header X-Test-Client;")
    try #require(!configuration.contains(":8080") && configuration.contains("listen unix:"))
    return "daemon off; master_process off; error_log /dev/stdout notice;\n\(configuration)"
  }

  @Test func `a stream through nginx has the events of all replicas`() throws {
    let stream = try nginx.connect()
    try stream.request("GET", "/status", fields: ["X-Test-Client: 203.0.113.9"])
    try stream.readHead().expect(200)
    // In turns, so two of these are on another replica than the stream.
    for name in ["a", "b", "c", "d"] {
      try signUp("\(name)@example.org").expect(202)
      let events = try stream.readEventNames(2)
      #expect(events == ["started", "completed"])
    }
  }

  @Test func `a client behind nginx cannot hide with a field that it forges`() throws {
    let fields = ["Forwarded: for=198.51.100.77", "X-Forwarded-For: 127.0.0.1"]
    try nginx.signUp("a@example.org", from: "203.0.113.9", fields: fields).expect(202)
    let shown = try replicas[0].run("show", "a@example.org").expect(0)
    #expect(shown.output.contains("203.0.113.0"), "\(shown.output)")
  }

  @Test func `nginx passes the host on with its port`() throws {
    let service = try Enlist(["--public-url", "http://localhost:8443"])
    let folder = service.folder
    let nginx = try Nginx(
      file: Self.configuration(of: [service, service], in: folder), host: "localhost:8443",
      in: folder)
    try nginx.signUp("a@example.org", from: "203.0.113.9").expect(202)
  }

  @Test func `no sign-up fails while a replica stops, or after it has ended`() throws {
    // The replica waits for this stream before it ends.
    let stream = try replicas[0].stream()
    replicas[0].process.send(SIGTERM)
    for name in ["a", "b", "c", "d"] { try signUp("\(name)@example.org").expect(202) }
    stream.close()
    try replicas[0].process.wait()
    for name in ["e", "f", "g"] { try signUp("\(name)@example.org").expect(202) }
  }

  private func signUp(_ address: String) throws -> Client.Response {
    try nginx.signUp(address, from: "203.0.113.9")
  }
}
