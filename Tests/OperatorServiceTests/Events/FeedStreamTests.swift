import HTTPSignals
import Signals
import MailingList
import SignalsTesting
import TestSupport
import Testing

@testable import SQLiteStorage
@testable import Services

/// The stream of the change feed, for one client.
@Suite struct FeedStreamTests {
  private let list: NearList
  private let scheduler = TestScheduler()
  /// Whether the key of the client is valid.
  private let isAllowed = Property(true)

  init() throws {
    list = try NearList()
  }

  private func stream(from place: FeedPlace) -> EventStream {
    let feed = ListFeed(list, limit: FeedStream.partLimit)
    return FeedStream(feed, from: place, on: scheduler) { [isAllowed] in .just(isAllowed.value) }
      .events
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

  @Test func `a stream that has been silent for days goes on with the next event`() throws {
    let page = list.read { list throws(StoreError) in try list.events(after: .max, limit: 0) }
    let epoch = try #require(page.blockingLast()).epoch
    let stream = stream(from: .events(after: EventID(epoch: epoch, position: 0)))
    var position = stream.position
    #expect(read(stream, from: position).names == [])
    scheduler.advance(by: .seconds(100_000))
    try list.add("ada", "bob")
    scheduler.advance(by: .seconds(1))
    let found = read(stream, from: position)
    #expect(found.names == ["subscriber.requested", "subscriber.requested"])
    position = found.next
    #expect(read(stream, from: position).names == [])
    try list.add("eve")
    scheduler.advance(by: .seconds(1))
    #expect(read(stream, from: position).names == ["subscriber.requested"])
  }

  @Test func `a store that cannot be read for days does not end a stream`() throws {
    let stream = stream(from: .beginning)
    list.failure.value = .unreachable
    #expect(read(stream, from: stream.position).names == [])
    scheduler.advance(by: .seconds(100_000))
    list.failure.value = nil
    try list.add("ada")
    scheduler.advance(by: .seconds(1))
    #expect(read(stream, from: stream.position).names == ["subscriber.requested"])
  }

  @Test func `a stream ends within a second once its key is no longer valid`() {
    let stream = stream(from: .beginning)
    #expect(read(stream, from: stream.position).names == [])
    isAllowed.value = false
    scheduler.advance(by: .seconds(1))
    #expect(read(stream, from: stream.position).names == ["finished"])
  }

  @Test func `what is filtered out moves the id once a minute`() throws {
    let feed = ListFeed(list, kinds: [.erased], limit: FeedStream.partLimit)
    let stream = FeedStream(feed, from: .beginning, on: scheduler) { .just(true) }.events
    try list.add("ada")
    #expect(read(stream, from: stream.position).names == [])
    scheduler.advance(by: .seconds(58))
    #expect(read(stream, from: stream.position).names == [])
    scheduler.advance(by: .seconds(4))
    #expect(read(stream, from: stream.position).names == ["position"])
  }
}

/// A list in memory that is read on the calling thread, so that days of reading take seconds.
private final class NearList: ReadableList {
  let failure = Property<StoreError?>(nil)
  private let store: ControlledStore
  private let connection: SQLiteConnection

  init() throws {
    let folder = try Folder(inMemory: true)
    let path = folder("list.sqlite")
    var configuration = SQLiteSubscriberStore.Configuration()
    configuration.checksFile = false
    store = ControlledStore(
      try SQLiteSubscriberStore(path: path, configuration: configuration), in: folder)
    connection = try SQLiteConnection(path: path, isReadOnly: true, busyTimeout: .seconds(10))
  }

  /// Signs people up, by the names in their addresses.
  func add(_ names: String...) throws {
    for name in names {
      _ = store.add(try SignUp.sample("\(name)@example.org")).blockingLast()
    }
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (ListReader) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError> {
    .calling { [connection, failure] () throws(StoreError) -> Value in
      if let error = failure.value { throw error }
      do {
        return try connection.transaction("BEGIN") { db in
          try body(ListReader(SQLiteSession(db)))
        }
      } catch {
        throw StoreError(error)
      }
    }
  }
}
