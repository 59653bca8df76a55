import HTTPSignals
import Testing

@testable import Microhttpd

/// The streams of one thread, without sockets.
@Suite struct StreamTableTests {
  /// A stream that sends nothing.
  private struct Stream: OpenStream {
    var state: StreamState
    let name: String

    func flush(at now: Duration) -> StreamState.Progress { .caughtUp }

    func disconnect() -> Bool { true }
  }

  private var table = StreamTable<Stream>()
  private let log = EventLog(capacity: 1)

  private mutating func insert(_ name: String, _ log: EventLog? = nil) -> Int {
    let log = log ?? self.log
    let stream = EventStream(log: log, from: log.head)
    let state = StreamState(
      StreamRequest(stream, client: .local, fields: FieldList(), isHTTP10: false),
      index: table.reserveIndex(), in: table.readers(of: log) { _ in },
      deadlines: StreamDeadlines(now: .zero, StreamLimits()))
    table.insert(Stream(state: state, name: name))
    return state.index
  }

  private mutating func takeAll() -> [String] {
    var names: [String] = []
    while let index = table.takePending() {
      if let stream = table.streams[index] { names.append(stream.name) }
    }
    return names
  }

  private mutating func advance(_ log: EventLog) {
    let readers = table.readers(of: log) { _ in }
    readers.startRound()
    table.enqueue(readers)
  }

  @Test mutating func `streams keep their index when others are removed`() {
    let first = insert("first")
    let second = insert("second")
    let third = insert("third")
    #expect(table.remove(at: first)?.name == "first")
    #expect(table.remove(at: first) == nil)
    #expect(table.streams[second]?.name == "second")
    #expect(table.streams[third]?.name == "third")
    #expect(table.count == 2)
    #expect(insert("fourth") == first)
    #expect(table.count == 3)
  }

  @Test mutating func `an advance of a log makes each of its streams due once`() {
    let other = EventLog(capacity: 1)
    for name in ["first", "second", "third"] { _ = insert(name) }
    _ = insert("other", other)
    advance(log)
    #expect(table.hasPending)
    #expect(Set(takeAll()) == ["first", "second", "third"])
    #expect(!table.hasPending)
    advance(other)
    #expect(takeAll() == ["other"])
  }

  @Test mutating func `a removed stream displaces no other stream`() {
    let first = insert("first")
    for name in ["second", "third"] { _ = insert(name) }
    advance(log)
    _ = table.remove(at: first)
    #expect(Set(takeAll()) == ["second", "third"])
  }

  @Test mutating func `the readers of a log are followed once, until its last stream is removed`() {
    var followCount = 0
    let readers = table.readers(of: log) { _ in followCount += 1 }
    let same = table.readers(of: log) { _ in followCount += 1 }
    #expect(readers === same)
    #expect(followCount == 1)
    let index = insert("only")
    _ = table.remove(at: index)
    #expect(table.readers(of: log) { _ in followCount += 1 } !== readers)
    #expect(followCount == 2)
  }
}
