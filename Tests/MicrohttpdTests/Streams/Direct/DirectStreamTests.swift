import Glibc
import HTTPSignals
import Testing

@testable import Microhttpd

/// One stream on a socket with the smallest send buffer, in virtual time.
@Suite struct DirectStreamTests {
  private static let stall: Duration = .seconds(10)
  private static let interval: Duration = .seconds(6)

  /// Opens a stream with more events than the socket accepts.
  ///
  /// - Returns: The stream, and the client's end of the socket.
  private func makeStream() throws -> (DirectStream, client: Int32) {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
    try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
    var smallest: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    try #require(setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &smallest, size) == 0)
    let log = EventLog(capacity: 1000)
    log.append(count: 200, padding: 1000)
    let stream = EventStream(log: log, from: log.oldest)
    let state = StreamState(
      StreamRequest(stream, client: .local, fields: FieldList(), isHTTP10: false), index: 0,
      in: LogReaders(log: log), deadlines: StreamDeadlines(now: .zero, StreamLimits()))
    // Without an epoll set, the test flushes the stream.
    return (DirectStream(state, on: StreamSocket(ends[0]), in: -1, generation: 1), ends[1])
  }

  @Test func `a client that reads a little in every interval is not stalled`() throws {
    var (stream, client) = try makeStream()
    defer {
      _ = stream.disconnect()
      close(client)
    }
    #expect(stream.flush(at: .zero) == .blocked)
    var now: Duration = .zero
    var buffer = [UInt8](repeating: 0, count: 3000)
    for _ in 0..<20 {
      now += Self.interval
      try #require(read(client, &buffer, buffer.count) > 0)
      #expect(stream.flush(at: now) == .blocked)
      #expect(stream.state.due(at: now, stall: Self.stall) == nil)
    }
  }

  @Test func `a client that reads nothing is stalled`() throws {
    var (stream, client) = try makeStream()
    defer {
      _ = stream.disconnect()
      close(client)
    }
    #expect(stream.flush(at: .zero) == .blocked)
    #expect(stream.flush(at: Self.interval) == .blocked)
    #expect(stream.state.due(at: Self.stall - .milliseconds(1), stall: Self.stall) == nil)
    #expect(stream.state.due(at: Self.stall, stall: Self.stall) == .reset)
  }
}
