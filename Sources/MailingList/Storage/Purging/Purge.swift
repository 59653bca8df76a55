package import Signals

/// The deletion of data that a store must not retain any longer; each service of a list does it.
///
/// Readers find the rows; the writer checks them again, and deletes a few at a time, so that
/// sign-ups hardly wait.
package struct Purge: Sendable {
  /// The retention period of unconfirmed subscribers, expired links and unused mailboxes.
  static let age: Duration = .seconds(30 * 86_400)
  /// The retention period of expired codes, which equals the period in which a mail is tried.
  ///
  /// A mail that is tried again has the same code, whose tries count.
  static let codeAge: Duration = .seconds(3 * 86_400)
  /// The retention period of tallies by the hour.
  static let tallyAge: Duration = .seconds(90 * 86_400)
  /// The maximum number of rows that a change deletes, except for events.
  package static let batch = 32
  /// The pause after a change.
  private static let pause: Duration = .milliseconds(250)
  /// The number of ids that a read examines.
  private static let page: Int64 = 65_536

  private let access: any ListAccess
  /// The age at which events are deleted; `nil` keeps them.
  private let eventAge: Duration?
  private let scheduler: any Scheduler

  package init(_ access: any ListAccess, eventAge: Duration?, on scheduler: any Scheduler) {
    self.access = access
    self.eventAge = eventAge
    self.scheduler = scheduler
  }

  /// Deletes everything that is due; the signal sends the numbers of deleted subscribers.
  package func run(at now: Timestamp) -> Signal<Int, StoreError> {
    var rows: [PurgedRows] = [.tokens, .codes, .mailboxes, .mailHours, .tallies]
    if let eventAge { rows.append(.events(age: eventAge)) }
    return rows.reduce(subscribers(after: 0, at: now)) { signal, rows in
      signal.concat(delete(rows, at: now))
    }
  }

  /// Deletes everything that is due at an interval; the next purge repeats the work of a failed one.
  package func run(
    every interval: Duration, now: @escaping @Sendable () -> Timestamp
  )
    -> any Disposable
  {
    Signal<Duration, Never>.interval(interval, on: scheduler)
      .exhaustMap { _ in run(at: now()).catch { _ in Signal<Int, Never>.empty } }
      .subscribe()
  }

  private func subscribers(after id: Int64, at now: Timestamp) -> Signal<Int, StoreError> {
    let (sum, isTooLarge) = id.addingReportingOverflow(Self.page)
    let last = isTooLarge ? .max : sum
    return access.read { (reader) throws(StoreError) in
      (
        candidates: try reader.purgeCandidates(after: id, through: last, at: now),
        next: try reader.firstSubscriberID(after: last)
      )
    }
    .flatMap { found in
      let deleted = inBatches(found.candidates, of: Self.batch) {
        (writer, candidates) throws(StoreError) in
        try writer.purge(candidates, at: now)
      }
      guard let next = found.next else { return deleted }
      return deleted.concat(.deferred { subscribers(after: next - 1, at: now) })
    }
  }

  /// Deletes rows that do not depend on their subscriber.
  private func delete(_ rows: PurgedRows, at now: Timestamp) -> Signal<Int, StoreError> {
    .deferred {
      let isFull = Property(false)
      let found = access.read { (reader) throws(StoreError) in try reader.find(rows, at: now) }
      let part =
        found.flatMap { keys in
          isFull.value = keys.count == PurgedRows.maximumFound
          return inBatches(keys, of: rows.batch) { (writer, keys) throws(StoreError) in
            try writer.purge(rows, keys, at: now)
            return 0
          }
        }
      // After the part, not within it, where each of many parts would be nested in the last one.
      return part.concat(.deferred { isFull.value ? delete(rows, at: now) : .empty })
    }
  }

  private func inBatches<Key: Sendable>(
    _ keys: [Key], of size: Int,
    _ delete: @escaping @Sendable (ListWriter, [Key]) throws(StoreError) -> Int
  ) -> Signal<Int, StoreError> {
    let parts = stride(from: 0, to: keys.count, by: size).map { start in
      Array(keys[start..<min(start + size, keys.count)])
    }
    return Signal<[Key], StoreError>(parts).concatMap { part in
      access.change { (writer) throws(StoreError) in try delete(writer, part) }.concat(pause)
    }
  }

  /// Sends nothing, and completes after the pause.
  private var pause: Signal<Int, StoreError> {
    Signal<Duration, Never>.timer(after: Self.pause, on: scheduler)
      .then { Signal<Int, StoreError>.empty }
  }
}
