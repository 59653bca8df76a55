internal import MailingList
internal import Signals

/// The deletion of data that a store must not retain any longer.
///
/// Readers find the rows; the writer checks them again, and deletes a few in each transaction, so
/// that sign-ups hardly wait.
struct Purge: Sendable {
  /// The retention period of unconfirmed subscribers, expired links and unused mailboxes.
  static let age: Duration = .seconds(30 * 86_400)
  /// The retention period of expired codes, which equals the period in which a mail is tried.
  ///
  /// A mail that is tried again has the same code, whose tries count.
  static let codeAge: Duration = .seconds(3 * 86_400)
  /// The maximum number of rows that a transaction deletes.
  static let batch = 32
  /// The pause after a transaction.
  private static let pause: Duration = .milliseconds(250)
  /// The number of ids that a read examines.
  private static let page: Int64 = 65_536

  let queue: WriterQueue
  let reads: ConcurrentReads
  let scheduler: any Scheduler

  /// Deletes everything that is due; the signal sends the numbers of deleted subscribers.
  func run(at now: Timestamp) -> Signal<Int, StoreError> {
    PurgedRows.allCases.reduce(subscribers(after: 0, at: now)) { signal, rows in
      signal.concat(delete(rows, at: now))
    }
  }

  private func subscribers(after id: Int64, at now: Timestamp) -> Signal<Int, StoreError> {
    let (sum, isTooLarge) = id.addingReportingOverflow(Self.page)
    let last = isTooLarge ? .max : sum
    return reads.read { db in
      (
        candidates: try PurgedSubscribers.find(after: id, through: last, at: now, in: db),
        next: try PurgedSubscribers.firstID(after: last, in: db)
      )
    }
    .flatMap { found in
      let deleted = inBatches(found.candidates) { (writer, candidates) throws(StoreError) in
        try writer.purge(candidates, at: now)
      }
      guard let next = found.next else { return deleted }
      return deleted.concat(.deferred { subscribers(after: next - 1, at: now) })
    }
  }

  /// Deletes rows that do not depend on their subscriber.
  private func delete(_ rows: PurgedRows, at now: Timestamp) -> Signal<Int, StoreError> {
    reads.read { try rows.find(at: now, in: $0) }
      .flatMap { keys in
        let deleted = inBatches(keys) { (writer, keys) throws(StoreError) in
          for key in keys { try writer.purge(rows, key, at: now) }
          return 0
        }
        guard keys.count == PurgedRows.maximumFound else { return deleted }
        return deleted.concat(.deferred { delete(rows, at: now) })
      }
  }

  private func inBatches<Key: Sendable>(
    _ keys: [Key],
    _ delete: @escaping @Sendable (ChangeWriter, [Key]) throws(StoreError) -> Int
  ) -> Signal<Int, StoreError> {
    let parts = stride(from: 0, to: keys.count, by: Self.batch).map { start in
      Array(keys[start..<min(start + Self.batch, keys.count)])
    }
    return Signal<[Key], StoreError>(parts).concatMap { part in
      queue.change { (writer) throws(StoreError) in try delete(writer, part) }.concat(pause)
    }
  }

  /// Sends nothing, and completes after the pause.
  private var pause: Signal<Int, StoreError> {
    Signal<Duration, Never>.timer(after: Self.pause, on: scheduler)
      .then { Signal<Int, StoreError>.empty }
  }
}
