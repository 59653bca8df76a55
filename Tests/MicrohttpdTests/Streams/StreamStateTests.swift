import HTTPSignals
import Platform
import Testing

@testable import Microhttpd

/// What a stream sends next and what is due, without a connection, in virtual time.
@Suite struct StreamStateTests {
  private static let stall: Duration = .seconds(10)
  private static let lifetime: Duration = .seconds(500)

  private let log = EventLog(capacity: 100)

  /// Opens a stream, and sends its preamble at time zero.
  private func open(from position: UInt64? = nil) -> StreamState {
    var limits = StreamLimits()
    limits.lifetime = Self.lifetime...Self.lifetime
    let stream = EventStream(log: log, from: position ?? log.oldest)
    var state = StreamState(
      StreamRequest(stream, client: .local, fields: FieldList(), isHTTP10: false), index: 0,
      in: LogReaders(log: log), deadlines: StreamDeadlines(now: .zero, limits))
    #expect(send(&state).progress == .more)
    return state
  }

  /// Sends one frame on a connection that accepts `room` bytes, or none if `room` is `nil`.
  private func send(
    _ state: inout StreamState, at now: Duration = .zero, atMost maximumBytes: Int = 1 << 14,
    room: Int? = .max
  ) -> (text: String, progress: StreamState.Progress) {
    var sent: [UInt8] = []
    let progress = state.send(at: now, framing: .untilClose, maximumBytes: maximumBytes) { bytes in
      guard let room else { return .none }
      sent += bytes.prefix(room)
      return .bytes(sent.count)
    }
    return (String(decoding: sent, as: UTF8.self), progress)
  }

  @Test(arguments: [400, 1000, 5000])
  func `a frame has whole blocks and no more bytes than its connection takes`(_ maximumBytes: Int) {
    log.append(count: 50, padding: 100)
    var state = open()
    var count = 0
    while case (let text, .more) = send(&state, atMost: maximumBytes) {
      #expect(text.utf8.count <= maximumBytes)
      #expect(text.hasPrefix("id: ") && text.hasSuffix("\n\n"))
      count += text.split(separator: "\n\n").count
    }
    #expect(count == 50)
  }

  @Test func `a block that is longer than a frame is sent in parts`() {
    log.append(count: 1, padding: 900)
    var state = open()
    var text = ""
    var progress = StreamState.Progress.blocked
    while progress == .blocked {
      let part = send(&state, atMost: 100, room: 100)
      text += part.text
      progress = part.progress
    }
    #expect(progress == .more)
    #expect(Array(text.utf8) == ServerSentEvent(number: 1, padding: 900).block)
  }

  @Test func `a silent stream is due for a heartbeat`() {
    var state = open()
    #expect(send(&state).progress == .caughtUp)
    #expect(state.due(at: .seconds(11), stall: Self.stall) == nil)
    #expect(state.due(at: .seconds(15), stall: Self.stall) == .flush)
    #expect(send(&state, at: .seconds(15)).text == ":\n")
    #expect(state.due(at: .seconds(26), stall: Self.stall) == nil)
  }

  @Test func `a stream ends after its lifetime, and sends the events that exist by then`() {
    var state = open()
    #expect(send(&state).progress == .caughtUp)
    #expect(state.due(at: Self.lifetime, stall: Self.stall) == .flush)
    #expect(send(&state, at: Self.lifetime).progress == .over)
    #expect(state.hasEnded)
    #expect(state.endReason == .lifetime)
  }

  @Test func `a blocked stream that reads on in time sends the rest and its end`() {
    log.append(count: 3)
    var state = open()
    let start = Self.lifetime - .seconds(1)
    #expect(send(&state, at: start, room: 10).progress == .blocked)
    #expect(state.due(at: Self.lifetime, stall: Self.stall) == nil)
    let rest = send(&state, at: Self.lifetime)
    #expect(rest.progress == .more)
    #expect(rest.text.hasSuffix("{\"number\":3}\n\n"))
    #expect(send(&state, at: Self.lifetime).progress == .over)
    #expect(state.endReason == .lifetime)
  }

  @Test func `a stream that is slow beyond its lifetime is reset`() {
    log.append(count: 50, padding: 900)
    var state = open()
    var now = Self.lifetime - .seconds(1)
    while now < Self.lifetime + Self.stall {
      #expect(send(&state, at: now, room: 10).progress == .blocked)
      #expect(state.due(at: now, stall: Self.stall) == nil)
      now += .seconds(1)
    }
    #expect(state.due(at: now, stall: Self.stall) == .reset)
    #expect(state.endReason == .stalled)
    #expect(!state.hasEnded)
  }

  @Test func `a stream of a finished log ends up to a second after its last event`() {
    log.append(count: 1)
    log.finish()
    var state = open()
    #expect(send(&state).progress == .more)
    #expect(send(&state).progress == .caughtUp)
    #expect(state.due(at: .milliseconds(199), stall: Self.stall) == nil)
    #expect(state.due(at: .milliseconds(1000), stall: Self.stall) == .flush)
    #expect(send(&state, at: .seconds(1)).progress == .over)
    #expect(state.endReason == .finished)
  }

  @Test func `a stream whose position has left the log ends`() {
    log.append(count: 200)
    var state = open(from: 1)
    #expect(send(&state).progress == .over)
    #expect(state.endReason == .behind)
  }
}
