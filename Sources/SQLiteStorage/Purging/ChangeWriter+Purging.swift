internal import MailingList
internal import Secrets

extension ChangeWriter {
  /// Deletes subscribers with their consents, links and codes, if they are still due.
  ///
  /// A suppression that must not end remains as a row in `suppressions`, the only one for its
  /// address.
  ///
  /// - Parameter candidates: The subscribers that a reader found, at most ``Purge/batch``.
  func purge(
    _ candidates: [PurgedSubscribers.Candidate],
    at now: Timestamp
  ) throws(StoreError) -> Int {
    let found = try dueSubscribers(candidates, at: now)
    let delete = try statements["DELETE FROM subscribers WHERE id = ?1"]
    for member in found {
      if let reason = member.membership.suppression, !reason.endsWithConfirmation {
        try keep(reason, since: member.membership.suppressedAt ?? now, ofKey: member.key)
      }
      delete.bind(member.id, at: 1)
      try delete.run()
    }
    return found.count
  }

  /// Deletes a row, if it is still due.
  func purge(
    _ rows: PurgedRows,
    _ key: PurgedRows.Key,
    at now: Timestamp
  ) throws(StoreError) {
    let statement = try statements[rows.deleteSQL]
    statement.bind(rows.time(at: now), at: 1)
    switch key {
    case .number(let number): statement.bind(number, at: 2)
    case .bytes(let bytes): statement.bind(bytes, at: 2)
    }
    try statement.run()
  }

  /// Reads the candidates that are still due.
  ///
  /// Queued mails are not checked again, because that would read the whole outbox: a mail that was
  /// queued since then changed `requested_at` in the same transaction.
  private func dueSubscribers(
    _ candidates: [PurgedSubscribers.Candidate],
    at now: Timestamp
  ) throws(StoreError) -> [Member] {
    let places = (0..<Purge.batch).map { "?\($0 + 3)" }.joined(separator: ", ")
    let statement = try statements[
      """
      SELECT s.id, s.address, s.address_key, s.state, s.suppression, s.confirmed_at,
        s.unsubscribed_at, s.suppressed_at, s.rejections, s.requested_at
      FROM subscribers s WHERE s.id IN (\(places)) AND \(PurgedSubscribers.condition)
      """
    ]
    statement.bind(now.adding(.zero - Purge.age).millisecondsSince1970, at: 1)
    statement.bind(now.millisecondsSince1970, at: 2)
    for index in 0..<Purge.batch {
      let id = index < candidates.count ? candidates[index].id : nil
      statement.bind(id, at: Int32(index + 3))
    }
    var found: [Member] = []
    while try statement.next() {
      do throws(StoreError) {
        let member = try Self.readMember(statement)
        let candidate = PurgedSubscribers.Candidate(
          id: member.id,
          requestedAt: statement.number(9) ?? 0
        )
        if candidates.contains(candidate) { found.append(member) }
      } catch {
        statement.reset()
        throw error
      }
    }
    return found
  }
}
