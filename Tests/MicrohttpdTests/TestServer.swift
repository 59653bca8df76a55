import Dispatch
import Foundation
import HTTPSignals
import HTTPTypes
import Logging
import Microhttpd
import Signals
import TestSupport
import Testing

/// A daemon on a free port whose requests go to a closure, for the time of one test.
struct TestServer {
  /// The daemon itself.
  let daemon: Daemon
  /// How its clients talk with it.
  let wire: TestWire

  /// Its port.
  var port: UInt16 { daemon.port }

  /// Runs a test with a daemon, and stops it afterwards, also when the test has thrown.
  ///
  /// The test may block: it has threads of its own.
  ///
  /// - Parameters:
  ///   - loops: How many event loops it has.
  ///   - wire: How its clients talk with it.
  ///   - configure: Changes its limits.
  ///   - handler: Is given each request, on the thread of its loop.
  ///   - test: The test.
  /// - Throws: What the test throws, or the daemon.
  static func run(
    loops: Int = 1,
    over wire: TestWire = .plain,
    configure: (inout Daemon.Configuration) -> Void = { _ in },
    handler: @escaping @Sendable (Exchange) -> Void,
    test: (TestServer) async throws -> Void
  ) async throws {
    var configuration = Daemon.Configuration.test(loops: loops)
    try wire.configure(&configuration)
    configure(&configuration)
    let daemon = try Daemon(configuration)
    let subscriptions = daemon.exchanges.map { $0.subscribe(next: handler) }
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
    for subscription in subscriptions { subscription.dispose() }
  }

  /// A new connection.
  ///
  /// - Parameter receiveBufferBytes: How much the system may hold for a client that does not read.
  /// - Returns: The client's side of it.
  /// - Throws: `TestSystemError`.
  func connect(receiveBufferBytes: Int32? = nil) throws -> SocketClient {
    let client = try SocketClient(port: port, receiveBufferBytes: receiveBufferBytes)
    if let priorities = wire.priorities { try client.shakeHands(priorities) }
    return client
  }

  /// Whether the kernel still has the daemon's end of a connection, owned or not.
  ///
  /// - Parameter client: The other end.
  /// - Returns: Whether it does.
  /// - Throws: What reading the kernel's table throws.
  func isKnownToKernel(_ client: SocketClient) throws -> Bool {
    let file = try #require(FileHandle(forReadingAtPath: "/proc/net/tcp"))
    let table = String(decoding: try #require(try file.readToEnd()), as: UTF8.self)
    let ends = String(format: "%04X 0100007F:%04X", Int(port), Int(client.port ?? 0))
    return table.contains(ends)
  }

  /// Asks on a connection of its own, which is open again afterwards.
  ///
  /// - Parameter path: What for, with GET.
  /// - Returns: The whole answer.
  /// - Throws: `TestSystemError`.
  func get(_ path: String) throws -> TestResponse {
    let client = try connect()
    try client.request("GET", path)
    return try client.readResponse()
  }
}

extension Daemon {
  /// The port that the kernel chose; 0 at a socket of the file system.
  var port: UInt16 { endpoint.port ?? 0 }
}

extension Daemon.Configuration {
  /// Listens on a free port, and logs nothing.
  static func test(loops: Int = 1) -> Daemon.Configuration {
    var configuration = Daemon.Configuration(logger: Logger(label: "test") { _ in SilentLog() })
    // However slow the machine is, only the tests of it cut who is slow.
    configuration.streamStall = .seconds(3600)
    configuration.endpoint = .network(host: "127.0.0.1", port: 0)
    configuration.loopCount = loops
    return configuration
  }
}

/// Something that happens on another thread, and that a test waits for.
final class Expectation: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  /// It has happened; once more counts once more.
  func fulfill() {
    semaphore.signal()
  }

  /// Waits for it.
  ///
  /// - Parameter deadline: By when it must have happened.
  /// - Throws: `TestSystemError.timeout`.
  func wait(by deadline: Deadline = .soon) throws {
    let time = DispatchTime.now() + .milliseconds(Int(deadline.milliseconds))
    guard semaphore.wait(timeout: time) == .success else { throw TestSystemError.timeout }
  }
}

/// A log that nobody reads.
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
  /// An answer of text.
  static func text(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
    Response(status: status, fields: [.contentType: "text/plain"], body: .bytes(Array(text.utf8)))
  }
}

extension ServerSentEvent {
  /// An event with a number and as much text.
  ///
  /// - Parameters:
  ///   - number: Its position, and a member of its data.
  ///   - padding: How many letters its data holds beside.
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
  /// Adds events that are numbered by their position.
  func append(count: Int, padding: Int = 0) {
    for _ in 0..<count { append { ServerSentEvent(number: $0, padding: padding) } }
  }
}
