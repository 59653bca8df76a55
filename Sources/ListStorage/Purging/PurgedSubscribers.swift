internal import MailingList
internal import Security

/// A subscriber to delete, as found by a reader.
struct PurgeCandidate: Hashable, Sendable {
  let id: Int64
  /// The time of the last sign-up.
  let requestedAt: Timestamp

  /// The condition for subscribers that have never confirmed and that have no valid link; its
  /// parameters are the latest time of sign-up, leaving and suppression, and the current time.
  fileprivate static let isDue = """
    s.confirmed_at IS NULL AND s.state <> 1 AND s.created_at <= ?1 AND s.updated_at <= ?1
      AND coalesce(s.unsubscribed_at, s.created_at) <= ?1
      AND coalesce(s.suppressed_at, s.created_at) <= ?1
      AND NOT EXISTS (
        SELECT 1 FROM enlist.tokens t
        WHERE t.subscriber_id = s.id AND t.purpose = 0 AND t.expires_at > ?2
      )
    """

  fileprivate static func times(at now: Timestamp) -> [ListValue] {
    [.time(now.adding(.zero - Purge.age)), .time(now)]
  }
}

extension ListReader {
  /// Finds subscribers to delete.
  ///
  /// A queued mail also prevents the deletion. No index covers the mails' subscribers, so this
  /// reads the outbox.
  func purgeCandidates(
    after id: Int64, through last: Int64, at now: Timestamp
  ) throws(StoreError) -> [PurgeCandidate] {
    let values = PurgeCandidate.times(at: now) + [.number(id), .number(last)]
    return try session.rows(Self.findCandidates(values)) { (row) throws(StoreError) in
      PurgeCandidate(
        id: try row.required(row.number(0)), requestedAt: try row.required(row.time(1)))
    }
  }

  /// Reads the smallest id of a subscriber above an id, however distant.
  func firstSubscriberID(after id: Int64) throws(StoreError) -> Int64? {
    try session.first(Self.findFirst(.number(id))) { $0.number(0) } ?? nil
  }

  private static let findCandidates = Statement(
    """
    SELECT s.id, s.requested_at FROM enlist.subscribers s
      WHERE s.id > ?3 AND s.id <= ?4 AND \(PurgeCandidate.isDue)
        AND s.id NOT IN (SELECT subscriber_id FROM enlist.outbox WHERE queue > 0)
    """
  )
  private static let findFirst = Statement("SELECT min(id) FROM enlist.subscribers WHERE id > ?1")
}

extension ListWriter {
  /// Deletes subscribers with all that belongs to them, if they are still due; returns their number.
  ///
  /// A suppression that must not end remains as a keyed hash; so a subscriber whose row cannot be
  /// read remains, too. Queued mails are not checked again, because that would read the whole
  /// outbox: a mail that was queued since then changed `requested_at` in the same transaction.
  func purge(_ candidates: [PurgeCandidate], at now: Timestamp) throws(StoreError) -> Int {
    let statements = candidates.map {
      Self.findDue(PurgeCandidate.times(at: now) + [.number($0.id), .time($0.requestedAt)])
    }
    let found = try session.rows(ofEach: statements) { try? Member($0) }
    var groups: [[BoundStatement]] = []
    for case (let candidate, let member??) in zip(candidates, found.map(\.first)) {
      let hashes = keys.suppressions(ofKey: member.key)
      var changes = Self.locking([hashes])
      changes += member.deleting(requestedAt: candidate.requestedAt)
      if member.membership.suppression != nil {
        var stored = try ListReader(session).suppressions(of: [hashes])
        stored.keep(member.membership, at: now, of: hashes)
        changes += stored.changes
      }
      changes.append(member.recording(.expired, by: .system, at: now))
      groups.append(changes)
    }
    return try session.change(groups: groups).count { $0 }
  }

  private static let findDue = Statement(
    """
    SELECT \(Member.columns) FROM enlist.subscribers s
      WHERE s.id = ?3 AND s.requested_at = ?4 AND \(PurgeCandidate.isDue)
    """
  )
}
