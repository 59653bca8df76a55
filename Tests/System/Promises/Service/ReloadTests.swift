import Foundation
import Signals
import TestSupport
import Testing

/// Tests of SIGHUP, which replaces the certificate for new connections without losing requests.
@Suite struct ReloadTests {
  private static let requestCount = 10_000
  private static let clientCount = 4

  @Test(arguments: [5, 10])
  func `10,000 requests and an open stream continue during repeated certificate reloads`(
    _ reloadCount: Int
  ) async throws {
    let certificates = try (0...reloadCount).map { index in
      try TestCertificate(index.isMultiple(of: 2) ? .ecdsa : .rsa)
    }
    let service = try Enlist(["--log-level", "info"], certificate: certificates[0])
    let stream = try service.connect("TLS1.3")
    try stream.request("GET", "/status")
    try stream.readHead().expect(200)
    #expect(try stream.readEventLine()?.hasPrefix("retry: ") == true)
    #expect(try stream.readEventLine() == ": ok")
    let port = service.port
    let failures = Lock(0)
    let isDone = Lock(false)
    let running = DispatchGroup()
    for _ in 0..<Self.clientCount {
      DispatchQueue.global().async(group: running) {
        let count = Self.load(port) { isDone.withLock { $0 } }
        failures.withLock { $0 += count }
      }
    }
    for certificate in certificates.dropFirst() {
      try service.present(certificate)
      try service.waitForNewConnections(toSee: certificate)
    }
    isDone.withLock { $0 = true }
    await withCheckedContinuation { done in running.notify(queue: .global()) { done.resume() } }
    #expect(failures.withLock { $0 } == 0)
    try service.process.waitForLog("certificate reloaded", count: reloadCount)

    try service.signUp("ana@example.com").expect(202)
    let events = try stream.readEventNames(2)
    #expect(events == ["started", "completed"])
    let end = try service.process.wait(after: SIGTERM)
    #expect(end == .exit(0))
  }

  /// Makes requests, most of them on persistent connections and some on new ones, and returns the
  /// number of those without a valid response.
  private static func load(_ port: UInt16, until isDone: () -> Bool) -> Int {
    var failures = 0
    var client: Client?
    var count = 0
    while count < requestCount / clientCount || !isDone() {
      count += 1
      do {
        if client == nil || count.isMultiple(of: 100) {
          let version = count.isMultiple(of: 200) ? "TLS1.2" : "TLS1.3"
          client = try Client(port: port)
          try client?.shakeHands("NORMAL:-VERS-ALL:+VERS-\(version)")
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

  @Test func `an invalid file keeps the old certificate in use and logs one error`() throws {
    let first = try TestCertificate()
    let service = try Enlist(["--log-level", "info"], certificate: first)
    let message = "certificate not reloaded, the old one remains in use"
    for (index, text) in ["no certificate", "", "-----BEGIN CERTIFICATE-----\n"].enumerated() {
      try service.folder.write(text, to: "tls.crt")
      service.process.send(SIGHUP)
      try service.process.waitForLog(message, count: index + 1)
      #expect(try service.connect().peerCertificate == first.encoded)
    }
    let other = try TestCertificate()
    try service.folder.write(String(decoding: other.certificate, as: UTF8.self), to: "tls.crt")
    service.process.send(SIGHUP)
    try service.process.waitForLog(message, count: 4)
    try FileManager.default.removeItem(atPath: service.folder("tls.key"))
    service.process.send(SIGHUP)
    try service.process.waitForLog(message, count: 5)
    let errors = service.process.errors.split(separator: "\n").filter {
      $0.contains(" error ") || $0.contains("error:")
    }
    #expect(errors.count == 5, "\(service.process.errors)")
    #expect(try service.connect().peerCertificate == first.encoded)
    try service.present(other)
    try service.waitForNewConnections(toSee: other)
  }

  @Test(arguments: [(-1, "error", "expired at"), (13, "warning", "expires at")])
  func `an expiring certificate is reported at startup and at each reload`(
    _ days: Int, _ level: String, _ text: String
  ) throws {
    let certificate = try TestCertificate(expiresInDays: days)
    let service = try Enlist(["--log-level", "info"], certificate: certificate)
    try service.process.waitForLog("the certificate \(text)")
    let line = try #require(
      service.process.errors.split(separator: "\n").first { $0.contains(text) })
    #expect(line.contains(level))
    #expect(line.contains("renew --tls-certificate and send SIGHUP"))
    service.process.send(SIGHUP)
    try service.process.waitForLog("the certificate \(text)", count: 2)
    let fresh = try TestCertificate(expiresInDays: 15)
    try service.present(fresh)
    try service.waitForNewConnections(toSee: fresh)
    let log = service.process.errors
    #expect(log.split(separator: "\n").count { $0.contains("the certificate ") } == 2, "\(log)")
  }

  @Test(arguments: [SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGPIPE, SIGXFSZ])
  func `a signal that the service does not use has no effect`(_ signal: Int32) throws {
    let service = try Enlist()
    let stream = try service.stream()
    for _ in 0..<3 {
      service.process.send(signal)
      try service.get("/livez").expect(200)
    }
    try service.signUp("ana@example.com").expect(202)
    #expect(try stream.readEvent()?.event == "started")
    let end = try service.process.wait(after: SIGTERM)
    #expect(end == .exit(0))
  }
}

extension Enlist {
  /// Connects repeatedly until the service presents a certificate.
  fileprivate func waitForNewConnections(toSee certificate: TestCertificate) throws {
    try eventually("the new certificate: \(process.errors)") {
      try connect().peerCertificate == certificate.encoded
    }
  }
}
