import HTTPSignals
import Signals
import Microhttpd
import SignalsTesting
import TestSupport
import Testing

/// Thousands of nearly valid requests, generated from a seed so that failures are reproducible.
@Suite struct RequestFuzzTests {
  private static let methods = ["GET", "POST", "HEAD", "OPTIONS", "put", "G(T", "", "A"]
  private static let targets = [
    "/", "/a?b=c", "*", "http://a/x", "/%00", "/%", "/ ", "x", "//", "/?&=&&", "", "/ä", "/\t",
    "/" + String(repeating: "a", count: 4096), "/" + String(repeating: "?b", count: 700),
  ]
  private static let versions = [
    "HTTP/1.1", "HTTP/1.0", "HTTP/1.2", "HTTP/2.0", "HTTP/0.9", "http/1.1", "HTTP/1.1 ", "",
  ]
  private static let fields = [
    "Host: a", "Host: a", "Host: a", "Host: b", "Host:", "Content-Length: 4", "Content-Length: 0",
    "Content-Length: 99999", "Content-Length: -1", "Content-Length: 4, 4", "Content-Length : 4",
    "Content-Length: 18446744073709551616", "Transfer-Encoding: chunked",
    "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: identity", "Connection: close",
    "Connection: keep-alive", "Expect: 100-continue", "Expect: more", ": x", "X", "X: \0",
    " folded",
    "X: \u{1}", "Forwarded: for=\"", "X-Forwarded-For: ,,,", "Cookie: a=b; c", "Upgrade: h2c",
    "X: " + String(repeating: "y", count: 3000),
  ]
  private static let bodies = [
    "", "abcd", "4\r\nabcd\r\n0\r\n\r\n", "4;x=y\r\nabcd\r\n0\r\nX: y\r\n\r\n", "g\r\n",
    "ffffffffffffffff\r\nabc", "-1\r\n", "0\r\n\r\n", String(repeating: "z", count: 20_000),
  ]

  /// Assembles a request from random pieces, then replaces, cuts, or duplicates some bytes.
  private func request(_ generator: inout SeededGenerator) -> [UInt8] {
    func pick(_ list: [String]) -> String { list.randomElement(using: &generator) ?? "" }
    let hasValidStart = Int.random(in: 0..<4, using: &generator) > 0
    var text = hasValidStart ? "POST /a HTTP/1.1" : "\(pick(Self.methods)) \(pick(Self.targets)) "
    if !hasValidStart { text += pick(Self.versions) }
    let end = Int.random(in: 0..<16, using: &generator) == 0 ? "\n" : "\r\n"
    text += end
    for _ in 0..<Int.random(in: 0..<6, using: &generator) { text += pick(Self.fields) + end }
    text += end + pick(Self.bodies)
    var bytes = Array(text.utf8)
    for _ in 0..<Int.random(in: 0..<3, using: &generator) where !bytes.isEmpty {
      let index = Int.random(in: 0..<bytes.count, using: &generator)
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
      case 1: bytes.removeSubrange(index...)
      default: bytes.insert(bytes[index], at: index)
      }
    }
    return bytes
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `no malformed request crashes the server or gets a response other than HTTP`(
    _ seed: UInt64
  )
    async throws
  {
    var generator = SeededGenerator(seed: seed)
    var statuses: Set<String> = []
    try await TestServer.run(
      configure: { $0.connections.requestTimeout = .milliseconds(500) },
      handler: { exchange in
        // Respond in both ways: in the handler, and in a later turn of the loop.
        if exchange.request.body.count.isMultiple(of: 2) {
          exchange.respond(.text("responded"))
        } else {
          Task { exchange.respond(.text("later")) }
        }
      },
      test: { server in
        for _ in 0..<40 {
          var clients: [(client: Client, sent: [UInt8])] = []
          for _ in 0..<25 {
            let client = try server.connect()
            var sent: [UInt8] = []
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
              sent += request(&generator)
            }
            // The server reads nothing after a rejection, so sending the rest may fail.
            do throws(TestSystemError) { try client.send(sent) } catch .system {}
            if Bool.random(using: &generator) { client.finishSending() }
            clients.append((client, sent))
          }
          for (client, sent) in clients {
            let responses = try readAll(client)
            #expect(responses.isEmpty || responses.starts(with: Array("HTTP/1.1 ".utf8)), "\(sent)")
            statuses.insert(String(decoding: responses.dropFirst(9).prefix(3), as: UTF8.self))
          }
          #expect(try server.get("/").text == "responded")
        }
      }
    )
    // The requests included valid ones and each kind of invalid one.
    #expect(statuses.isSuperset(of: ["200", "400", "414"]))
    #expect(!statuses.contains("500"))
  }

  @Test(arguments: [5, 6, 7, 8] as [UInt64])
  func `the handler gets no request that a strict parser does not see`(_ seed: UInt64) async throws
  {
    var generator = SeededGenerator(seed: seed)
    let paths = Lock<Set<String>>([])
    var sent: [String: [UInt8]] = [:]
    try await TestServer.run(
      configure: { $0.connections.requestTimeout = .milliseconds(500) },
      handler: { exchange in
        paths.withLock { _ = $0.insert(exchange.request.path) }
        exchange.respond(.text("responded"))
      },
      test: { server in
        for round in 0..<40 {
          var clients: [Client] = []
          for number in 0..<25 {
            let marker = "/marker-\(round)-\(number)"
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1...2, using: &generator) { bytes += request(&generator) }
            bytes += Array("GET \(marker) HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
            sent[marker] = bytes
            let client = try server.connect()
            // The server reads nothing after a rejection, so sending the rest may fail.
            do throws(TestSystemError) { try client.send(bytes) } catch .system {}
            clients.append(client)
          }
          for client in clients { _ = try readAll(client) }
        }
      }
    )
    var seenCount = 0
    for path in paths.withLock({ $0 }) where path.hasPrefix("/marker-") {
      let bytes = try #require(sent[path])
      seenCount += 1
      #expect(StrictRequests.targets(in: bytes).contains(path), "\(bytes)")
    }
    // Some markers follow well-formed requests.
    #expect(seenCount > 0)
  }

  /// Reads everything that the server sends until it closes or resets the connection.
  private func readAll(_ client: Client) throws -> [UInt8] {
    var bytes: [UInt8] = []
    do throws(TestSystemError) {
      bytes = try client.readToEnd()
    } catch .system {}
    return bytes
  }
}
