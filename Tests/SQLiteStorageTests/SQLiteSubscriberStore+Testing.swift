import Signals
import MailingList
import TestSupport

@testable import SQLiteStorage

/// Runs a test with an empty store and closes the store afterwards.
func withStore(
  _ configuration: SQLiteSubscriberStore.Configuration = .init(),
  _ body: (SQLiteSubscriberStore, Folder) async throws -> Void
) async throws {
  try await withFolder { folder in
    let store = try SQLiteSubscriberStore(path: folder.database, configuration: configuration)
    try await body(store, folder)
    await store.close().ended()
  }
}

extension SQLiteSubscriberStore {
  /// Returns the number of rows of a table.
  func count(_ table: String) throws -> Int {
    try withConnection { Int(try $0.number("SELECT count(*) FROM \(table)") ?? 0) }
  }

  /// Queues sign-ups while the connection is busy, and returns their outcomes.
  ///
  /// The sign-ups form one transaction, or two if the writer takes the first one before the others
  /// are queued.
  func outcomes(ofBatch signUps: [SignUp]) async -> [Result<[Never], StoreError>] {
    let signals = withConnection { _ in signUps.map { add($0).replay() } }
    var outcomes: [Result<[Never], StoreError>] = []
    for signal in signals { outcomes.append(await signal.collected()) }
    return outcomes
  }
}

extension SQLiteConnection {
  /// The same connection for reading more than one row.
  var file: SQLiteFile { SQLiteFile(borrowing: handle) }
}

/// A scheduler that runs work immediately and counts it.
final class CountingScheduler: Scheduler {
  private let immediate = ImmediateScheduler()
  private let scheduled = Lock(0)
  private let time = Lock(Duration.zero)
  private let whenGone: @Sendable () -> Void

  /// Creates a scheduler.
  ///
  /// - Parameter whenGone: Called when the scheduler is released.
  init(whenGone: @escaping @Sendable () -> Void = {}) {
    self.whenGone = whenGone
  }

  deinit {
    whenGone()
  }

  /// The number of times that work was scheduled.
  var count: Int { scheduled.withLock { $0 } }

  /// The current time, which a test sets.
  var now: Duration {
    get { time.withLock { $0 } }
    set { time.withLock { $0 = newValue } }
  }

  func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
    scheduled.withLock { $0 += 1 }
    return immediate.schedule(work)
  }

  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any Disposable {
    immediate.schedule(after: delay, work)
  }

  func schedule(
    after delay: Duration, repeating interval: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    immediate.schedule(after: delay, repeating: interval, work)
  }
}
