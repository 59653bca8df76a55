internal import MailingList
internal import Secrets
internal import Signals

/// The deletion of what a store keeps no longer than necessary; each replica does it.
///
/// The reader finds subscribers; the writer checks them again, and deletes a few in each
/// transaction, so that sign-ups hardly wait. What another replica has locked is left to it.
struct Purge: Sendable {
  /// How long unconfirmed subscribers, expired links and unused mailboxes are kept.
  static let age: Duration = .seconds(30 * 86_400)
  /// How long expired codes are kept: as long as a mail is tried.
  static let codeAge: Duration = .seconds(3 * 86_400)
  /// How many rows a transaction deletes.
  private static let batch = 32
  /// The pause after a transaction.
  private static let pause: Duration = .milliseconds(250)
  /// How many ids a read examines.
  private static let page: Int64 = 65_536

  let queue: WriterQueue
  let reads: ReaderQueue
  let scheduler: any Scheduler
  let keys: MailKeys

  /// A subscriber that is deleted if it still may be.
  private struct Candidate {
    let id: Int64
    /// The hashes of its key: the first locks it, and all keep its suppression if that must not end.
    let hashes: [[UInt8]]
  }

  /// Deletes what is due.
  func run(at now: Timestamp) -> Signal<Int, StoreError> {
    subscribers(after: 0, at: now).concat(.deferred { rows(at: now) })
  }

  private func subscribers(after id: Int64, at now: Timestamp) -> Signal<Int, StoreError> {
    let last = id + Self.page
    return reads.read { (session) throws(PostgreSQLError) in
      try find(after: id, through: last, at: now, in: session)
    }
    .flatMap { found in
      let parts = stride(from: 0, to: found.candidates.count, by: Self.batch).map { start in
        Array(found.candidates[start..<min(start + Self.batch, found.candidates.count)])
      }
      let deleted = Signal<[Candidate], StoreError>(parts).concatMap { part in
        delete(part, at: now).concat(pause)
      }
      return found.isLast
        ? deleted : deleted.concat(.deferred { subscribers(after: last, at: now) })
    }
  }

  private func find(
    after id: Int64,
    through last: Int64,
    at now: Timestamp,
    in session: ReadSession
  ) throws(PostgreSQLError) -> (candidates: [Candidate], isLast: Bool) {
    let query = Query("SELECT * FROM enlist.find_forgotten($1, $2, $3, $4)").binding(id)
      .binding(last).binding(now.adding(.zero - Self.age)).binding(now)
    let rows = try session.read(query)
    var candidates: [Candidate] = []
    for row in 0..<rows.count {
      let hashes = keys.suppressions(try rows.required(row, 1, as: String.self))
      candidates.append(Candidate(id: try rows.required(row, 0), hashes: hashes))
    }
    let highest = try session.read(Query("SELECT max(id) FROM enlist.subscribers"))
    return (candidates, try highest.value(0, 0, as: Int64.self) ?? 0 <= last)
  }

  private func delete(_ part: [Candidate], at now: Timestamp) -> Signal<Int, StoreError> {
    queue.change { (writer) throws(PostgreSQLError) in
      let query = Query("SELECT enlist.purge_subscribers($1, $2, $3, $4, $5)")
        .binding(array: part.map { Optional($0.id) }).binding(array: part.map(\.hashes.first))
        .binding(array: part.map { $0.hashes.dropFirst().first })
        .binding(now.adding(.zero - Self.age)).binding(now)
      return Int(try writer.change(query).required(0, 0, as: Int32.self))
    }
  }

  /// Deletes rows that no subscriber needs, until none is left.
  private func rows(at now: Timestamp) -> Signal<Int, StoreError> {
    queue.change { (writer) throws(PostgreSQLError) in
      let query = Query("SELECT enlist.purge_rows($1, $2, $3)")
        .binding(now.adding(.zero - Self.age)).binding(now.adding(.zero - Self.codeAge))
        .binding(Int32(Self.batch))
      return Int(try writer.change(query).required(0, 0, as: Int32.self))
    }
    .flatMap { (count: Int) -> Signal<Int, StoreError> in
      count == 0 ? .empty : pause.concat(.deferred { rows(at: now) })
    }
  }

  /// Sends nothing, and completes after the pause.
  private var pause: Signal<Int, StoreError> {
    Signal<Duration, Never>.timer(after: Self.pause, on: scheduler)
      .then { Signal<Int, StoreError>.empty }
  }
}
