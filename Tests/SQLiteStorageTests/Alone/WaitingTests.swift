import Dispatch
import Signals
import MailingList
import TestSupport
import Testing

@testable import SQLiteStorage

/// Tests of how long a sign-up waits for a lock.
@Suite struct WaitingTests {
  @Test
  func `all queued sign-ups fail together when the lock is not released`() async throws {
    let configuration = SQLiteSubscriberStore.Configuration(
      busyTimeout: .milliseconds(300), maximumBatch: 16)
    try await withStore(configuration) { store, folder in
      let other = try OtherProcess(holding: folder.database)
      let signUps = try (0..<320).map { try SignUp.sample("person\($0)@example.org") }
      let ends = Ends()
      store.withConnection { _ in
        for signUp in signUps { store.add(signUp).subscribe(ends.observer) }
      }
      // Twenty batches that waited separately would take six seconds.
      #expect(try ends.wait(for: 320) < .seconds(4))
      #expect(ends.errors.allSatisfy { $0 == .locked })
      try other.release()
      #expect(try store.count("subscribers") == 0)
      try await _ = store.add(signUps[0]).values()
    }
  }

  @Test(arguments: [0, 100, 1000])
  func `a sign-up waits for a lock until the busy timeout`(_ milliseconds: Int) async throws {
    let timeout = Duration.milliseconds(milliseconds)
    try await withStore(.init(busyTimeout: timeout)) { store, folder in
      let other = try OtherProcess(holding: folder.database)
      for _ in 0..<2 {
        let ends = Ends()
        store.add(try .sample()).subscribe(ends.observer)
        // The upper bound leaves room for a busy machine.
        #expect((timeout..<timeout + .seconds(4)).contains(try ends.wait(for: 1)))
        #expect(ends.errors == [.locked])
      }
      try other.release()
    }
  }

  @Test
  func `a wait for a lock ends at the deadline and stores nothing`() async throws {
    let configuration = SQLiteSubscriberStore.Configuration(
      busyTimeout: .seconds(60), maximumBatch: 8)
    try await withStore(configuration) { store, folder in
      let other = try OtherProcess(holding: folder.database)
      let signUps = try (0..<100).map { try SignUp.sample("person\($0)@example.org") }
      let ends = Ends()
      for signUp in signUps { store.add(signUp).subscribe(ends.observer) }
      await store.finish(within: .milliseconds(200)).ended()
      // Every sign-up has its outcome by now.
      #expect(ends.errors.count == 100)
      #expect(ends.errors.allSatisfy { $0 == .locked || $0 == .closed })
      #expect(try ends.wait(for: 100) < .seconds(5))
      try other.release()
      #expect(try store.count("subscribers") == 0)
      #expect(await store.add(try .sample()).collected() == .failure(.closed))
    }
  }

  @Test func `a store has not finished while an observer receives its error`() async throws {
    let delays = VirtualDelays()
    let configuration = SQLiteSubscriberStore.Configuration(
      busyTimeout: .seconds(60), maximumBatch: 1, deliverOn: delays)
    try await withStore(configuration) { store, folder in
      let other = try OtherProcess(holding: folder.database)
      let (ends, slowEnds) = (Ends(), Ends())
      let isReached = Lock(false)
      let mayReturn = DispatchSemaphore(value: 0)
      let slow = Observer<Never, StoreError>(
        next: { _ in },
        end: { end in
          isReached.withLock { $0 = true }
          #expect(mayReturn.wait(timeout: .now() + 60) == .success)
          if case .failed(let error) = end { slowEnds.observer.fail(error) }
        }
      )
      store.add(try .sample("locked@example.org")).subscribe(ends.observer)
      store.add(try .sample("queued@example.org")).subscribe(slow)
      let isFinished = Lock(false)
      let finished = store.finish(within: .seconds(60)).replay()
      finished.subscribe(Observer(next: { _ in }, end: { _ in isFinished.withLock { $0 = true } }))
      // The writer is waiting for the lock, so it cannot be the thread that sends the error.
      DispatchQueue.global().async { delays.advance(by: .seconds(60)) }
      try eventually(within: .seconds(30)) { isReached.withLock { $0 } }
      try other.release()
      _ = try ends.wait(for: 1)
      // The writer looks for its next task before each of them.
      for _ in 0..<100 { store.withConnection { (_: SQLiteConnection) in } }
      #expect(!isFinished.withLock { $0 })
      mayReturn.signal()
      await finished.ended()
      #expect(slowEnds.errors == [.closed])
    }
  }

  @Test func `finishing an idle store is immediate, and queued sign-ups are stored first`()
    async throws
  {
    try await withStore { store, _ in
      await store.finish(within: .seconds(60)).ended()
      await store.finish(within: .zero).ended()
    }
    try await withStore { store, _ in
      let signUps = try (0..<500).map { try SignUp.sample("person\($0)@example.org") }
      let (outcomes, finished) = store.withConnection { _ in
        (signUps.map { store.add($0).replay() }, store.finish(within: .seconds(60)).replay())
      }
      await finished.ended()
      for outcome in outcomes { #expect(await outcome.collected() == .success([])) }
      for signUp in signUps {
        #expect(try await store.hasStored(signUp.id).values() == [true])
      }
    }
  }

  @Test(arguments: [StoreError.damaged, .readOnly])
  func `only a committed sign-up ends a failure that a probe cannot detect`(
    _ error: StoreError
  ) async throws {
    let scheduler = CountingScheduler()
    var configuration = SQLiteSubscriberStore.Configuration(deliverOn: scheduler)
    // Would find the damage, too, and accept nothing more.
    configuration.checksFile = false
    try await withStore(configuration) { store, folder in
      let signUp = try SignUp.sample()
      // The index first refers to a page of another kind, then to its own. The probe's page is
      // intact.
      func setIndexPage(_ page: Int64) throws {
        try Contents.change(
          folder.database,
          """
          PRAGMA writable_schema = ON;
          UPDATE sqlite_schema SET rootpage = \(page) WHERE name = 'subscribers_by_key';
          PRAGMA schema_version = \(1000 + page);
          """
        )
      }
      let page = try store.withConnection { db in
        let sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'subscribers_by_key'"
        let page = try #require(try db.number(sql))
        if error == .readOnly { try db.execute("PRAGMA query_only = ON") }
        return page
      }
      if error == .damaged { try setIndexPage(2) }
      #expect(await store.add(signUp).collected() == .failure(error))
      if error == .damaged {
        try setIndexPage(page)
      } else {
        try store.withConnection { try $0.execute("PRAGMA query_only = OFF") }
      }
      scheduler.now = .seconds(10)
      #expect(await store.probe().collected() == .failure(error))
      #expect(await store.add(signUp).collected() == .success([]))
      #expect(await store.probe().collected() == .success([]))
    }
  }
}

/// A recorder of the errors and the end time of sign-ups.
///
/// It takes the time on the thread that sends the outcome, because the test's own thread may have
/// to wait for other tests.
private final class Ends: Sendable {
  private struct State {
    var errors: [StoreError?] = []
    var last = ContinuousClock.now
  }

  private let begin = ContinuousClock.now
  private let state = Lock(State())

  /// The errors of the sign-ups that have ended; `nil` for a stored one.
  var errors: [StoreError?] { state.withLock { $0.errors } }

  /// An observer for one sign-up.
  var observer: Observer<Never, StoreError> {
    Observer(
      next: { _ in },
      end: { end in
        self.state.withLock { state in
          switch end {
          case .completed: state.errors.append(nil)
          case .failed(let error): state.errors.append(error)
          }
          state.last = .now
        }
      }
    )
  }

  /// Waits until a number of sign-ups have ended.
  ///
  /// - Returns: The time until the end of the last one.
  func wait(for count: Int) throws -> Duration {
    try eventually(within: .seconds(30)) { errors.count >= count }
    return state.withLock { $0.last - begin }
  }
}
