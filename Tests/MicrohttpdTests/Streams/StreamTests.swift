import Glibc
import HTTPSignals
import Testing

@testable import Microhttpd

/// What a stream sends next and what is due, on a pair of sockets, in virtual time.
@Suite struct StreamTests {
  private static let stall: Duration = .seconds(10)
  private static let lifetime: Duration = .seconds(500)

  private let log = EventLog(capacity: 1000)

  /// A stream and its client.
  private final class Pair {
    let stream: Stream
    private let client: Int32

    /// - Parameter isNarrow: Whether the socket accepts as few bytes as possible.
    init(_ log: EventLog, from position: UInt64? = nil, isNarrow: Bool = false) throws {
      var ends: [Int32] = [-1, -1]
      let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
      try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
      var smallest: Int32 = 1
      let size = socklen_t(MemoryLayout<Int32>.size)
      if isNarrow {
        try #require(setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &smallest, size) == 0)
      }
      client = ends[1]
      var limits = StreamLimits()
      limits.lifetime = StreamTests.lifetime...StreamTests.lifetime
      let stream = EventStream(log: log, from: position ?? log.oldest)
      self.stream = Stream(
        0,
        StreamRequest(
          stream, client: .local, query: FieldList(), fields: FieldList(), isHTTP10: true),
        on: StreamSocket(ends[0]), in: FollowedLog(log), limits, at: .zero)
    }

    deinit {
      stream.close()
      Glibc.close(client)
    }

    /// Gives the stream a turn.
    func flush(at now: Duration = .zero) -> Stream.Progress {
      stream.flush(at: now, DaemonMetrics())
    }

    func due(at now: Duration) -> Stream.Due? { stream.due(at: now, stall: StreamTests.stall) }

    /// Reads what the socket has, without the preamble.
    func read(_ maximum: Int = 1 << 20) -> String {
      var buffer = [UInt8](repeating: 0, count: maximum)
      let count = max(0, Glibc.read(client, &buffer, maximum))
      return String(decoding: buffer[..<count], as: UTF8.self)
        .replacing(/retry: \d{4}\n: ok\n/, with: "")
    }
  }

  @Test func `a turn is a few frames of whole blocks`() throws {
    log.append(count: 50, padding: 2000)
    let pair = try Pair(log)
    var numbers: [Substring] = []
    var progress = Stream.Progress.more
    while progress == .more {
      progress = pair.flush()
      let text = pair.read()
      #expect(text.utf8.count <= 4 * 16_384)
      #expect(text.isEmpty || text.hasPrefix("id: ") && text.hasSuffix("\n\n"))
      numbers += text.matches(of: /"number":(\d+),/).map(\.1)
    }
    #expect(progress == .caughtUp)
    #expect(numbers == (1...50).map { "\($0)" })
  }

  @Test func `a block that is longer than a frame is sent whole`() throws {
    log.append(count: 1, padding: 20_000)
    let pair = try Pair(log)
    #expect(pair.flush() == .caughtUp)
    #expect(Array(pair.read().utf8) == ServerSentEvent(number: 1, padding: 20_000).block)
  }

  @Test func `a silent stream is due for a heartbeat after at most 15 seconds`() throws {
    let pair = try Pair(log)
    #expect(pair.flush() == .caughtUp)
    _ = pair.read()
    #expect(pair.due(at: .seconds(11)) == nil)
    #expect(pair.due(at: .seconds(15)) == .flush)
    #expect(pair.flush(at: .seconds(15)) == .caughtUp)
    #expect(pair.read() == ":\n")
    #expect(pair.due(at: .seconds(26)) == nil)
  }

  @Test func `a stream ends after its lifetime`() throws {
    let pair = try Pair(log)
    #expect(pair.flush() == .caughtUp)
    #expect(pair.due(at: Self.lifetime) == .flush)
    #expect(pair.flush(at: Self.lifetime) == .over)
    #expect(pair.stream.endReason == .lifetime)
  }

  @Test func `a requested end makes a stream end earlier, never later`() throws {
    let pair = try Pair(log)
    #expect(pair.flush() == .caughtUp)
    pair.stream.end(by: .seconds(5))
    pair.stream.end(by: .seconds(9))
    #expect(pair.due(at: .seconds(4)) == nil)
    #expect(pair.due(at: .seconds(5)) == .flush)
    #expect(pair.flush(at: .seconds(5)) == .over)
  }

  @Test func `a client that reads a little in every interval is not stalled`() throws {
    log.append(count: 200, padding: 1000)
    let pair = try Pair(log, isNarrow: true)
    #expect(pair.flush() == .blocked)
    var now: Duration = .zero
    for _ in 0..<20 {
      now += .seconds(6)
      try #require(!pair.read(3000).isEmpty)
      #expect(pair.flush(at: now) == .blocked)
      #expect(pair.due(at: now) == nil)
    }
  }

  @Test func `a client that reads nothing is reset`() throws {
    log.append(count: 200, padding: 1000)
    let pair = try Pair(log, isNarrow: true)
    #expect(pair.flush() == .blocked)
    #expect(pair.flush(at: .seconds(6)) == .blocked)
    #expect(pair.due(at: Self.stall - .milliseconds(1)) == nil)
    #expect(pair.due(at: Self.stall) == .reset)
    #expect(pair.stream.endReason == .stalled)
  }

  @Test func `a blocked stream that reads on in time gets the rest and its end`() throws {
    log.append(count: 10, padding: 1000)
    let pair = try Pair(log, isNarrow: true)
    let start = Self.lifetime - .seconds(1)
    #expect(pair.flush(at: start) == .blocked)
    #expect(pair.due(at: Self.lifetime) == nil)
    var text = pair.read()
    while pair.flush(at: Self.lifetime) != .over { text += pair.read() }
    text += pair.read()
    #expect(text.matches(of: /"number":/).count == 10)
    #expect(pair.stream.endReason == .lifetime)
  }

  @Test func `a stream that is slow beyond its lifetime is reset`() throws {
    log.append(count: 200, padding: 1000)
    let pair = try Pair(log, isNarrow: true)
    var now = Self.lifetime - .seconds(1)
    while now < Self.lifetime + Self.stall {
      #expect(pair.flush(at: now) == .blocked)
      #expect(pair.due(at: now) == nil)
      _ = pair.read(3000)
      now += .seconds(1)
    }
    #expect(pair.due(at: now) == .reset)
    #expect(pair.stream.endReason == .stalled)
  }

  @Test func `a stream of a finished log ends up to a second after its last event`() throws {
    log.append(count: 1)
    log.finish()
    let pair = try Pair(log)
    #expect(pair.flush() == .caughtUp)
    #expect(pair.due(at: .milliseconds(199)) == nil)
    #expect(pair.due(at: .milliseconds(1000)) == .flush)
    #expect(pair.flush(at: .seconds(1)) == .over)
    #expect(pair.stream.endReason == .finished)
  }

  @Test func `a stream whose position has left the log ends`() throws {
    log.append(count: 2000)
    let pair = try Pair(log, from: 1)
    #expect(pair.flush() == .over)
    #expect(pair.stream.endReason == .behind)
  }

  // MARK: Many at once

  /// Streams that open together, which nothing is sent to.
  private func streams(_ count: Int) -> [Stream] {
    let followed = FollowedLog(log)
    let request = StreamRequest(
      EventStream(log: log, from: log.head), client: .local, query: FieldList(),
      fields: FieldList(), isHTTP10: true)
    return (0..<count).map { id in
      Stream(
        UInt64(id), request, on: StreamSocket(-1), in: followed, StreamLimits(), at: .seconds(1000))
    }
  }

  /// The number of seconds after the opening at which something is first due.
  private func firstDue(_ stream: Stream, after start: Int = 0) -> Int? {
    (start...620).first { stream.due(at: .seconds(1000 + $0), stall: Self.stall) != nil }
  }

  @Test func `first heartbeats of streams that open together are spread over the whole interval`() {
    let seconds = Set(streams(1000).compactMap { firstDue($0) })
    #expect(seconds.isSuperset(of: 1...14))
    #expect(seconds.isSubset(of: 0...15))
  }

  @Test func `each stream ends at a random time between 8 and 10 minutes`() {
    let ends = streams(1000).compactMap { stream in
      (400...620).first { second in
        _ = stream.due(at: .seconds(1000 + second), stall: Self.stall)
        return stream.isEnding
      }
    }
    #expect(ends.count == 1000)
    #expect(Set(ends).isSubset(of: 480...600))
    #expect(Set(ends).count > 100)
    #expect((300...700).contains(ends.count { $0 <= 540 }))
  }
}
