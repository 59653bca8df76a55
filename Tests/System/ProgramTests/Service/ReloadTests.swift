import Foundation
import Signals
import TestSupport
import Testing

/// Tests of SIGHUP, which replaces the certificate for new connections without losing requests.
@Suite struct ReloadTests {
  private static let requestCount = 10_000
  private static let clientCount = 4

  /// Makes requests, most of them on persistent connections and some on new ones.
  ///
  /// - Returns: The number of requests without a valid response.
  private static func load(_ service: SecureService, until isDone: () -> Bool) -> Int {
    var failures = 0
    var client: SocketClient?
    var count = 0
    while count < requestCount / clientCount || !isDone() {
      count += 1
      do {
        if client == nil || count.isMultiple(of: 100) {
          client = try service.connect(count.isMultiple(of: 200) ? "TLS1.2" : "TLS1.3")
        }
        guard let client else { return failures + 1 }
        try client.request("GET", "/livez")
        if try client.readResponse().status != 200 { failures += 1 }
      } catch {
        failures += 1
        client = nil
      }
    }
    return failures
  }

  @Test(arguments: [5, 10])
  func `10,000 requests and open streams continue during repeated certificate reloads`(
    _ reloadCount: Int
  ) async throws {
    let certificates = try (0...reloadCount).map { index in
      try TestCertificate(index.isMultiple(of: 2) ? .ecdsa : .rsa)
    }
    let service = try SecureService(certificates[0], ["--log-level", "info"])
    let streams = try ["TLS1.2", "TLS1.3"].map { version in
      let stream = try service.connect(version)
      try stream.request("GET", "/status")
      #expect(try stream.readHead().status == 200)
      #expect(try stream.readEventLine()?.hasPrefix("retry: ") == true)
      #expect(try stream.readEventLine() == ": ok")
      return stream
    }
    let failures = Lock(0)
    let isDone = Lock(false)
    let running = DispatchGroup()
    for _ in 0..<Self.clientCount {
      DispatchQueue.global().async(group: running) {
        let count = Self.load(service) { isDone.withLock { $0 } }
        failures.withLock { $0 += count }
      }
    }
    for certificate in certificates.dropFirst() {
      try service.reload(certificate)
      try service.waitForNewConnections(toSee: certificate)
    }
    isDone.withLock { $0 = true }
    await withCheckedContinuation { done in running.notify(queue: .global()) { done.resume() } }
    #expect(failures.withLock { $0 } == 0)
    try service.waitForLog("certificate reloaded", count: reloadCount)

    let client = try service.connect()
    try client.sendSignUp(of: "ana@example.com")
    #expect(try client.readResponse().status == 202)
    for stream in streams {
      var events: [String?] = []
      while events.count < 2 { events.append(try #require(try stream.readEvent()).event) }
      #expect(events == ["started", "completed"])
    }
    service.process.send(signal: SIGTERM)
    #expect(try service.process.wait() == .exit(0))
  }

  @Test func `an invalid file keeps the old certificate in use and logs one error`() throws {
    let first = try TestCertificate()
    let service = try SecureService(first)
    for (index, text) in ["no certificate", "", "-----BEGIN CERTIFICATE-----\n"].enumerated() {
      try service.folder.write(text, to: "tls.crt")
      service.process.send(signal: SIGHUP)
      try service.waitForLog(
        "certificate not reloaded, the old one remains in use", count: index + 1)
      #expect(try service.connect().peerCertificate == first.encoded)
    }
    let other = try TestCertificate()
    try service.folder.write(String(decoding: other.certificate, as: UTF8.self), to: "tls.crt")
    service.process.send(signal: SIGHUP)
    try service.waitForLog("certificate not reloaded, the old one remains in use", count: 4)
    try FileManager.default.removeItem(atPath: service.folder.path(of: "tls.key"))
    service.process.send(signal: SIGHUP)
    try service.waitForLog("certificate not reloaded, the old one remains in use", count: 5)
    let errors = service.process.standardError.split(separator: "\n").filter {
      $0.contains(" error ") || $0.contains("error:")
    }
    #expect(errors.count == 5, "\(service.process.standardError)")
    #expect(try service.connect().peerCertificate == first.encoded)
    try service.reload(other)
    try service.waitForNewConnections(toSee: other)
  }

  @Test(arguments: [(-1, "error", "expired at"), (13, "warning", "expires at")])
  func `an expiring certificate is reported at startup and at each reload`(
    _ days: Int, _ level: String, _ text: String
  ) throws {
    let service = try SecureService(try TestCertificate(expiresInDays: days))
    try service.waitForLog("the certificate \(text)")
    let line = try #require(
      service.process.standardError.split(separator: "\n").first { $0.contains(text) })
    #expect(line.contains(level))
    #expect(line.contains("renew --tls-certificate and send SIGHUP"))
    service.process.send(signal: SIGHUP)
    try service.waitForLog("the certificate \(text)", count: 2)
    let fresh = try TestCertificate(expiresInDays: 15)
    try service.reload(fresh)
    try service.waitForNewConnections(toSee: fresh)
    #expect(
      service.process.standardError.split(separator: "\n").count { $0.contains("the certificate ") }
        == 2
    )
  }

  @Test(arguments: [SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGPIPE, SIGXFSZ])
  func `a signal that the service does not use has no effect`(_ signal: Int32) throws {
    let service = try RunningService()
    let stream = try service.stream()
    for _ in 0..<3 {
      service.process.send(signal: signal)
      #expect(try service.request("GET", "/livez").status == 200)
    }
    #expect(try service.signUp("ana@example.com").status == 202)
    #expect(try stream.readEvent()?.event == "started")
    service.process.send(signal: SIGTERM)
    #expect(try service.process.wait() == .exit(0))
  }
}
