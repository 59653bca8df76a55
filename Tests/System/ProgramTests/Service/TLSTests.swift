import Glibc
import TestSupport
import Testing

/// Tests of the service with its own certificate and without a proxy.
@Suite struct TLSTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for name in ["a", "b"] {
      let openssl = try ChildProcess(
        in: folder,
        through: [
          "bash", "-c",
          """
          exec openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 \
            -subj /CN=localhost -keyout \(name).key -out \(name).crt
          """,
        ]
      )
      try #require(try openssl.wait() == .exit(0), "\(openssl.standardError)")
    }
  }

  private func serve(_ certificate: String, _ key: String) throws -> ChildProcess {
    try ChildProcess(
      "enlist",
      ["--listen", "127.0.0.1:0", "--drain", "0s"]
        + ["--tls-certificate", certificate, "--tls-key", key],
      in: folder
    )
  }

  /// Starts a service.
  ///
  /// - Returns: The service and the URL that it reports.
  private func start() throws -> (service: ChildProcess, url: String, port: String) {
    let service = try serve("a.crt", "a.key")
    let line = try service.readLine() ?? ""
    #expect(line.hasPrefix("listening on https://127.0.0.1:"))
    let url = String(line.dropFirst("listening on ".count))
    return (service, url, String(url.split(separator: ":").last ?? ""))
  }

  private func curl(_ arguments: String) throws -> (end: ChildProcess.End, output: String) {
    let process = try ChildProcess(
      in: folder, through: ["bash", "-c", "exec curl -s --max-time 10 \(arguments)"])
    let output = String(decoding: try process.readOutput(), as: UTF8.self)
    return (try process.wait(), output)
  }

  @Test func `the service responds, stores and streams over HTTPS`() throws {
    let (service, url, _) = try start()
    #expect(try curl("-k \(url)/livez").output == #"{"status":"alive"}"#)
    let signUp = try curl("-k -w '%{http_code}' -d email=a@example.org \(url)/subscribers")
    #expect(signUp.output.hasSuffix("202"))
    let id = signUp.output.split(separator: "\"")[5]
    let stream = try curl("-k \(url)/executions/\(id)/events")
    #expect(stream.output.contains("event: completed"))
    service.send(signal: SIGTERM)
    #expect(try service.wait() == .exit(0))
  }

  @Test func `clients without TLS or with an old version get no response`() throws {
    let (service, url, port) = try start()
    #expect(try curl("http://127.0.0.1:\(port)/livez").output.isEmpty)
    #expect(try curl("-k --tls-max 1.1 \(url)/livez").end != .exit(0))
    #expect(try curl("-k --tls-max 1.2 \(url)/livez").end == .exit(0))
    service.send(signal: SIGTERM)
    #expect(try service.wait() == .exit(0))
  }

  @Test func `healthcheck uses TLS`() throws {
    let (service, _, port) = try start()
    func check(_ more: [String]) throws -> (end: ChildProcess.End, errors: String) {
      let process = try ChildProcess(
        "enlist", ["healthcheck", "--listen", "127.0.0.1:\(port)"] + more, in: folder)
      return (try process.wait(), process.standardError)
    }
    #expect(try check(["--tls-certificate", "a.crt", "--tls-key", "a.key"]).end == .exit(0))
    #expect(try check([]).end == .exit(1))
    let plain = try RunningService()
    let process = try ChildProcess(
      "enlist",
      ["healthcheck", "--listen", "127.0.0.1:\(plain.port)", "--tls-certificate", "a.crt"])
    #expect(try process.wait() == .exit(1))
    #expect(process.standardError.hasSuffix("is not ready: it does not speak TLS\n"))
    service.send(signal: SIGTERM)
    #expect(try service.wait() == .exit(0))
  }

  @Test(
    arguments: [
      (
        "a.crt", "b.key",
        #"invalid value "a.crt" for --tls-certificate: cannot be used with --tls-key b.key: "#
      ),
      (
        "a.key", "a.key",
        #"invalid value "a.key" for --tls-certificate: cannot be used with --tls-key a.key: "#
      ),
      (
        "none.crt", "a.key",
        #"invalid value "none.crt" for --tls-certificate: the file cannot be read"#
      ),
      ("a.crt", "none.key", #"invalid value "none.key" for --tls-key: the file cannot be read"#),
      (
        "a.crt", "none",
        #"invalid value "none" for --tls-key: --tls-certificate requires --tls-key"#
      ),
      (
        "none", "a.key",
        #"invalid value "none" for --tls-certificate: --tls-key requires --tls-certificate"#
      ),
    ]
  )
  func `a missing or invalid certificate or key stops startup with one line`(
    _ certificate: String, _ key: String, _ line: String
  ) throws {
    let service = try serve(certificate, key)
    #expect(try service.wait() == .exit(64))
    #expect(service.standardError.hasPrefix("enlist: \(line)"))
    #expect(service.standardError.utf8.count { $0 == 10 } == 1)
  }
}
