import HTTPSignals
import Signals
import MailingList
import SignalsTesting
import Testing

@testable import Services

/// The stream of the change feed, for one client.
@Suite struct FeedStreamTests {
  private let log = GrowingLog()
  private let scheduler = TestScheduler()

  private func stream(from place: String) -> EventStream {
    let allowed: @Sendable () -> Signal<Bool, Never> = { [log] in
      .just(log.isAllowed.withLock { $0 })
    }
    let feed = ListFeed(log, limit: FeedStream.partLimit)
    return FeedStream(feed, from: FeedPlace(place), on: scheduler, while: allowed).events
  }

  /// Reads what the log of a stream has, and returns the names of the events and where to go on.
  private func read(_ stream: EventStream, from position: UInt64) -> (names: [String], next: UInt64)
  {
    switch stream.log.read(from: position, atMost: 1 << 20) {
    case .blocks(let blocks, let next):
      let lines = String(decoding: blocks, as: UTF8.self).split(separator: "\n")
      return (lines.filter { $0.hasPrefix("event: ") }.map { String($0.dropFirst(7)) }, next)
    case .finished: return (["finished"], position)
    case .upToDate, .outside: return ([], position)
    }
  }

  @Test func `a stream that has been silent for days goes on with the next event`() {
    let stream = stream(from: "e-0")
    var position = stream.position
    #expect(read(stream, from: position).names == [])
    scheduler.advance(by: .seconds(1_000_000))
    log.add(2)
    scheduler.advance(by: .seconds(1))
    let found = read(stream, from: position)
    #expect(found.names == ["subscriber.requested", "subscriber.requested"])
    position = found.next
    #expect(read(stream, from: position).names == [])
    log.add(1)
    scheduler.advance(by: .seconds(1))
    #expect(read(stream, from: position).names == ["subscriber.requested"])
  }

  @Test func `a store that cannot be read for days does not end a stream`() {
    let stream = stream(from: "earliest")
    log.failure.withLock { $0 = .unreachable }
    #expect(read(stream, from: stream.position).names == [])
    scheduler.advance(by: .seconds(100_000))
    log.failure.withLock { $0 = nil }
    log.add(1)
    scheduler.advance(by: .seconds(1))
    #expect(read(stream, from: stream.position).names == ["subscriber.requested"])
  }

  @Test func `a stream ends within a second once its key is no longer valid`() {
    let stream = stream(from: "earliest")
    #expect(read(stream, from: stream.position).names == [])
    log.isAllowed.withLock { $0 = false }
    scheduler.advance(by: .seconds(1))
    #expect(read(stream, from: stream.position).names == ["finished"])
  }

  @Test func `what is filtered out moves the id once a minute`() {
    let feed = ListFeed(log, kinds: [.erased], limit: FeedStream.partLimit)
    let stream = FeedStream(feed, from: .beginning, on: scheduler) { .just(true) }.events
    log.add(1)
    #expect(read(stream, from: stream.position).names == [])
    scheduler.advance(by: .seconds(58))
    #expect(read(stream, from: stream.position).names == [])
    scheduler.advance(by: .seconds(4))
    #expect(read(stream, from: stream.position).names == ["position"])
  }
}

/// An event log without a list.
private final class GrowingLog: EventReader {
  private let events = Lock<[ListEvent]>([])
  let failure = Lock<StoreError?>(nil)
  /// Whether the key of the client is valid.
  let isAllowed = Lock(true)

  func add(_ count: Int64) {
    events.withLock { events in
      for _ in 0..<count {
        events.append(
          ListEvent(
            position: Int64(events.count + 1), time: Timestamp(millisecondsSince1970: 0),
            kind: .requested, subscriberID: 1, state: .pending, previous: nil, actor: .form,
            detail: nil, subscriber: nil))
      }
    }
  }

  func subscribers(after id: Int64?, limit: Int) -> Signal<[Subscriber], StoreError> { .just([]) }

  func subscriberCounts() -> Signal<[Subscriber.State: Int], StoreError> { .just([:]) }

  func events(after position: Int64, limit: Int) -> Signal<EventPage, StoreError> {
    if let error = failure.withLock({ $0 }) { return .fail(error) }
    return .just(
      events.withLock { events in
        EventPage(
          epoch: "e", newest: Int64(events.count),
          events: Array(events.filter { $0.position > position }.prefix(limit)))
      }
    )
  }
}
