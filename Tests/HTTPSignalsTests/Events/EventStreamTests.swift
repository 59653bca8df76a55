import HTTPSignals
import HTTPTypes
import Signals
import Testing

/// The response and the contents of an event stream.
@Suite struct EventStreamTests {
  private func event(_ position: UInt64) -> ServerSentEvent {
    ServerSentEvent(
      id: .init(epoch: .init("e"), position: position), name: .init("n"), data: JSONText())
  }

  @Test func `an event stream's header fields keep proxies from buffering or storing it`() {
    let response = EventStream(log: EventLog(capacity: 1), from: 1).response
    #expect(response.status == .ok)
    #expect(response.fields[.contentType] == "text/event-stream")
    #expect(response.fields[.cacheControl] == "no-store, no-transform")
    #expect(response.fields[.vary] == "Origin")
    #expect(HTTPField.Name("X-Accel-Buffering").flatMap { response.fields[$0] } == "no")
    #expect(response.fields[.contentLength] == nil)
    #expect(response.fields[.contentEncoding] == nil)
  }

  @Test func `the opening event of a stream is not added to the log`() {
    let log = EventLog(capacity: 1)
    let stream = EventStream(log: log, from: 1, opening: event(9))
    #expect(stream.opening == event(9).block)
    #expect(log.head == 1)
  }

  @Test func `a stream contains all events of its signal and ends when the signal completes`() {
    let events = ReplaySubject<ServerSentEvent, Never>()
    events.send(event(1))
    let stream = EventStream(events.signal)
    events.send(event(2))
    let blocks = event(1).block + event(2).block
    #expect(stream.log.read(from: stream.position, atMost: 4096) == .blocks(blocks, next: 3))
    events.complete()
    #expect(stream.log.read(from: 3, atMost: 4096) == .finished)
  }

  @Test func `a stream reads more events only when its client has taken those before`() {
    let parts = Lock([[event(1), event(2)], [event(3)]])
    let readings = Lock(0)
    let stream = EventStream(window: 4, on: ImmediateScheduler()) {
      readings.withLock { $0 += 1 }
      let part = parts.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      return .just(part.map { .events($0) } ?? .end)
    }
    let size = event(1).block.count
    var position = stream.position
    var read: [UInt8] = []
    var counts: [Int] = []
    while read.count < 3 * size {
      switch stream.log.read(from: position, atMost: size) {
      case .blocks(let blocks, let next):
        read += blocks
        position = next
      case .upToDate: counts.append(readings.withLock { $0 })
      case .finished, .outside:
        Issue.record("The log has no event at \(position).")
        return
      }
    }
    #expect(read == [1, 2, 3].flatMap { event($0).block })
    #expect(counts == [1, 2])
    for _ in 0..<2 { _ = stream.log.read(from: position, atMost: size) }
    #expect(stream.log.read(from: position, atMost: size) == .finished)
  }

  @Test func `disposing of a stream's source unsubscribes from its signal`() throws {
    let events = Subject<ServerSentEvent, Never>()
    let stream = EventStream(events.signal)
    try #require(stream.source).dispose()
    events.send(event(1))
    #expect(stream.log.head == 1)
  }
}
