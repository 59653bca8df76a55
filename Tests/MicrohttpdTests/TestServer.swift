import Dispatch
import Foundation
import HTTPSignals
import HTTPTypes
import Logging
import Microhttpd
import Platform
import Signals
import TestSupport
import Testing

/// A daemon on a free port that serves one test and passes its requests to a closure.
struct TestServer {
  /// The daemon under test.
  let daemon: Daemon
  /// The transport that its clients use.
  let wire: TestWire

  /// The port that the daemon listens on.
  var port: UInt16 { daemon.port }

  /// Runs a test with a daemon, which it stops afterwards even if the test throws.
  ///
  /// The test may block because its jobs run on their own threads.
  ///
  /// - Parameters:
  ///   - loops: The number of event loops.
  ///   - wire: The transport that clients use.
  ///   - configure: Changes the options before the daemon is made.
  ///   - handler: Receives each exchange, on the thread of its event loop.
  ///   - test: The test to run.
  static func run(
    loops: Int = 1, over wire: TestWire = .plain,
    configure: (inout DaemonOptions) -> Void = { _ in },
    handler: @escaping @Sendable (Exchange) -> Void, test: (TestServer) async throws -> Void
  ) async throws {
    var options = DaemonOptions.test(loops: loops)
    try wire.configure(&options)
    configure(&options)
    let daemon = try Daemon(options)
    let subscriptions = daemon.exchanges.map { $0.subscribe(next: handler) }
    defer { for subscription in subscriptions { subscription.dispose() } }
    try daemon.start()
    try await withTaskExecutorPreference(ThreadPerJob()) {
      do {
        try await test(TestServer(daemon: daemon, wire: wire))
      } catch {
        await daemon.stop(drain: .zero)
        throw error
      }
      await daemon.stop(drain: .zero)
    }
  }

  /// Opens a connection, with a TLS handshake if the transport needs one.
  ///
  /// - Parameter receiveBufferBytes: The size of the receive buffer; `nil` for the default.
  /// - Returns: The client's end of the connection.
  func connect(receiveBufferBytes: Int32? = nil) throws -> Client {
    let client = try Client(port: port, receiveBufferBytes: receiveBufferBytes)
    if let priorities = wire.priorities { try client.shakeHands(priorities) }
    return client
  }

  /// Checks whether the kernel still has the daemon's end of a connection.
  ///
  /// - Parameter client: The client's end.
  /// - Returns: Whether the kernel lists it, even if no process owns it any more.
  func isKnownToKernel(_ client: Client) throws -> Bool {
    let file = try #require(FileHandle(forReadingAtPath: "/proc/net/tcp"))
    let table = String(decoding: try #require(try file.readToEnd()), as: UTF8.self)
    let ends = String(format: "%04X 0100007F:%04X", Int(port), Int(client.port ?? 0))
    return table.contains(ends)
  }

  /// Sends a GET request on a new connection.
  ///
  /// - Parameter path: The path to request.
  /// - Returns: The complete response.
  func get(_ path: String) throws -> Client.Response {
    let client = try connect()
    try client.request("GET", path)
    return try client.readResponse()
  }
}

extension Daemon {
  /// The port that the kernel chose; 0 for a Unix socket.
  var port: UInt16 { endpoint.port ?? 0 }
}

extension DaemonOptions {
  /// Makes options for a daemon that listens on a free port and logs nothing.
  static func test(loops: Int = 1) -> DaemonOptions {
    var options = DaemonOptions(
      logger: Logger(label: "test") { _ in SilentLog() }, responsePolicy: TestResponsePolicy())
    // Only tests of the stall limit shorten it, so a slow machine resets no other streams.
    options.streams.stall = .seconds(3600)
    options.endpoint = .address(.network(HostAndPort(host: .v4(0x7F00_0001), port: 0)))
    options.loopCount = loops
    return options
  }
}

/// An event on another thread that a test waits for.
final class Expectation: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  /// Records that the event has happened; each call satisfies one wait.
  func fulfill() {
    semaphore.signal()
  }

  /// Blocks until the event happens.
  func wait(within time: Duration = patience) throws {
    guard semaphore.wait(timeout: .now() + time / .seconds(1)) == .success else {
      throw TestSystemError.timeout
    }
  }
}

/// A log handler that discards everything.
private struct SilentLog: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.critical

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {}
}

extension Response {
  /// Makes a response with a plain-text body.
  static func text(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
    Response(status: status, fields: [.contentType: "text/plain"], body: .bytes(Array(text.utf8)))
  }
}

extension ServerSentEvent {
  /// Makes an event with a number and padding.
  ///
  /// - Parameters:
  ///   - number: The position in its id and the `number` member of its data.
  ///   - padding: The number of letters in an additional member; 0 omits it.
  init(number: UInt64, padding: Int = 0) {
    var data = JSONText()
    data.object { object in
      object.member("number", Int(number))
      if padding > 0 { object.member("padding", String(repeating: "x", count: padding)) }
    }
    self.init(id: ID(epoch: Token("test"), position: number), name: Token("tick"), data: data)
  }
}

extension EventLog {
  /// Appends events that are numbered by their positions.
  func append(count: Int, padding: Int = 0) {
    for _ in 0..<count { append { ServerSentEvent(number: $0, padding: padding) } }
  }
}
