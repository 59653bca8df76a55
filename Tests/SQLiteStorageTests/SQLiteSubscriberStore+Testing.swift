import GRDB
import Locks
import MailingList
import Signals
import TestSupport

@testable import SQLiteStorage

/// Runs a test with an empty store that is closed afterwards.
func withStore(
  _ configuration: SQLiteSubscriberStore.Configuration = .init(),
  _ body: (SQLiteSubscriberStore, TemporaryFolder) async throws -> Void
) async throws {
  try await withTemporaryFolder { folder in
    let store = try SQLiteSubscriberStore(path: folder.database, configuration: configuration)
    try await body(store, folder)
    await store.close().ended()
  }
}

extension SQLiteSubscriberStore {
  /// How many rows a table has.
  func count(_ table: String) throws -> Int {
    try withConnection { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? 0 }
  }

  /// Stores sign-ups that queue up while the connection is kept busy.
  ///
  /// So they are one transaction, or two when the writer was quick enough to take the first alone.
  func outcomes(ofBatch signUps: [SignUp]) async -> [Result<[Receipt], StoreError>] {
    let signals = withConnection { _ in signUps.map { add($0).replay() } }
    var outcomes: [Result<[Receipt], StoreError>] = []
    for signal in signals { outcomes.append(await signal.collected()) }
    return outcomes
  }
}

/// Runs work at once, and counts it.
final class CountingScheduler: Scheduler {
  private let immediate = ImmediateScheduler()
  private let scheduled = Lock(0)
  private let time = Lock(Duration.zero)
  private let whenGone: @Sendable () -> Void

  /// Makes one.
  ///
  /// - Parameter whenGone: Called when nobody holds it any more.
  init(whenGone: @escaping @Sendable () -> Void = {}) {
    self.whenGone = whenGone
  }

  deinit {
    whenGone()
  }

  /// How often work was scheduled.
  var count: Int { scheduled.withLock { $0 } }

  /// The time, which a test sets.
  var now: Duration {
    get { time.withLock { $0 } }
    set { time.withLock { $0 = newValue } }
  }

  func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
    scheduled.withLock { $0 += 1 }
    return immediate.schedule(work)
  }

  func schedule(
    after delay: Duration,
    _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    immediate.schedule(after: delay, work)
  }

  func schedule(
    after delay: Duration,
    repeating interval: Duration,
    _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    immediate.schedule(after: delay, repeating: interval, work)
  }
}
