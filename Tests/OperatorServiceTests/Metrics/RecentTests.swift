import Signals
import MailingList
import SignalsTesting
import Testing

@testable import Services

@Suite struct RecentTests {
  private let clock = ManualClock()
  private let store = HeldReads()
  private let recent: Recent<OutboxBacklog>

  init() {
    recent = Recent(
      store.backlog, for: .seconds(1), limit: .seconds(2), on: TestScheduler(),
      now: { [clock] in clock.now })
  }

  private func ask() {
    recent.value.subscribe(next: { [store] in store.receive($0?.waiting) })
  }

  @Test func `whoever asks during a read gets its result`() {
    for _ in 0..<3 { ask() }
    #expect(store.readCount == 1)
    #expect(store.results.isEmpty)
    store.reply(.success(7))
    #expect(store.results == [7, 7, 7])
  }

  @Test(arguments: [.success(1), .failure(.locked)] as [Result<Int, StoreError>])
  func `the result of a read is used for a second`(first: Result<Int, StoreError>) {
    ask()
    store.reply(first)
    clock.advance(milliseconds: 999)
    ask()
    #expect(store.readCount == 1)
    clock.advance(milliseconds: 1)
    ask()
    #expect(store.readCount == 2)
    store.reply(.success(2))
    let value = try? first.get()
    #expect(store.results == [value, value, 2])
  }

  @Test func `a clock that is set back does not keep a result`() {
    ask()
    store.reply(.success(1))
    clock.advance(seconds: -3600)
    ask()
    #expect(store.readCount == 2)
    store.reply(.success(2))
    #expect(store.results == [1, 2])
  }
}

/// A store that reads its outbox when a test says so, and what its clients have received.
private final class HeldReads: Sendable {
  private struct Reads {
    var count = 0
    /// The observer of the last read, until it ends.
    var last: Observer<OutboxBacklog, StoreError>?
  }

  private let reads = Lock(Reads())
  private let received = Lock<[Int?]>([])

  /// The number of reads that have begun.
  var readCount: Int { reads.withLock { $0.count } }
  /// What was received; `nil` stands for what could not be read.
  var results: [Int?] { received.withLock { $0 } }

  var backlog: Signal<OutboxBacklog, StoreError> {
    Signal { observer in
      self.reads.withLock { $0 = Reads(count: $0.count + 1, last: observer) }
      return nil
    }
  }

  /// Ends the last read.
  func reply(_ result: Result<Int, StoreError>) {
    guard let observer = reads.withLock({ $0.last.take() }) else { return }
    switch result {
    case .success(let waiting):
      observer.send(OutboxBacklog(waiting: waiting, oldest: nil, isServedElsewhere: false))
      observer.complete()
    case .failure(let error): observer.fail(error)
    }
  }

  func receive(_ waiting: Int?) {
    received.withLock { $0.append(waiting) }
  }
}
