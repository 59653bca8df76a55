import HTTPSignals
import Microhttpd
import Testing
import TestSupport

/// Event streams over TLS 1.3: the daemon makes the records, and GnuTLS reads them.
@Suite struct SecureStreamTests {
  /// Runs a test with a daemon that streams a log from its oldest event for every request.
  private func serve(_ log: EventLog, test: (UInt16) throws -> Void) async throws {
    try await TestServer.run(
      over: .secure, handler: { $0.respond(EventStream(log: log, from: log.oldest).response) },
      test: { try test($0.port) })
  }

  @Test(arguments: [
    "AES-128-GCM", "AES-256-GCM", "CHACHA20-POLY1305", "AES-128-CCM",
  ])
  func `every TLS 1.3 cipher delivers long events and a clean end`(_ cipher: String) async throws {
    let log = EventLog(capacity: 256)
    log.append(count: 100, padding: 900)
    try await serve(log) { port in
      let client = try Client(port: port)
      try client.shakeHands("NORMAL:-VERS-ALL:+VERS-TLS1.3:-CIPHER-ALL:+\(cipher)")
      try client.request("GET", "/")
      let head = try client.readHead()
      #expect(head["Connection"] == "close")
      for number in 1...100 { #expect(try client.readEvent()?.id == "test-\(number)") }
      log.append(count: 1)
      log.finish()
      #expect(try client.readEvent()?.id == "test-101")
      #expect(try client.readEvent() == nil)
      #expect(try client.readToEnd().isEmpty)
      #expect(client.hasReceivedEnd)
    }
  }

  /// A record over the client's limit would end the connection (RFC 8449 §4).
  ///
  /// GnuTLS does not request a limit below 512 bytes.
  @Test(arguments: [512, 4096])
  func `TLS records never exceed the size limit of the client`(
    _ maximumRecordBytes: Int
  ) async throws {
    let log = EventLog(capacity: 64)
    log.append(count: 20, padding: 900)
    try await serve(log) { port in
      let client = try Client(port: port)
      try client.shakeHands("NORMAL:-VERS-ALL:+VERS-TLS1.3", maximumRecordBytes: maximumRecordBytes)
      try client.request("GET", "/")
      #expect(try client.readHead().status == 200)
      for number in 1...20 { #expect(try client.readEvent()?.id == "test-\(number)") }
    }
  }

  /// The bytes may be a request for a key update, after which the daemon must not send with the old
  /// key (RFC 8446 §4.6.3).
  @Test(arguments: [true, false])
  func `a TLS client that sends bytes after its request gets pending events and a clean end`(
    _ isKeyUpdate: Bool
  ) async throws {
    let log = EventLog(capacity: 64)
    log.append(count: 1)
    try await serve(log) { port in
      let client = try Client(port: port)
      try client.shakeHands("NORMAL:-VERS-ALL:+VERS-TLS1.3")
      try client.request("GET", "/")
      #expect(try client.readHead().status == 200)
      #expect(try client.readEvent()?.id == "test-1")
      if isKeyUpdate { try client.askForAnotherKey() } else { try client.send("more") }
      #expect(try client.readEvent() == nil)
      #expect(try client.readToEnd().isEmpty)
      #expect(client.hasReceivedEnd)
    }
  }
}
