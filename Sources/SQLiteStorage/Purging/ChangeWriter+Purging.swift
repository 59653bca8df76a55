internal import MailingList
internal import Secrets

extension ChangeWriter {
  /// Deletes subscribers with their consents, links and codes, if they are still due.
  ///
  /// A suppression that must not end leaves its row in `suppressions`.
  ///
  /// - Parameters:
  ///   - ids: Their ids, at most ``Purge/batch``.
  ///   - now: The current time.
  /// - Returns: How many were deleted.
  /// - Throws: `StoreError`.
  func purge(subscribers ids: [Int64], at now: Timestamp) throws(StoreError) -> Int {
    let found = try dueSubscribers(ids, at: now)
    let delete = try statements["DELETE FROM subscribers WHERE id = ?1"]
    for member in found {
      if let reason = member.membership.suppression, !reason.endsWithConfirmation,
        let hash = keys.suppressions(member.key).first
      {
        try store(reason, of: hash, at: member.membership.suppressedAt ?? now)
      }
      delete.bind(member.id, at: 1)
      try delete.run()
    }
    return found.count
  }

  /// Deletes a row, if it is still due.
  ///
  /// - Parameters:
  ///   - rows: The table.
  ///   - key: The key of the row.
  ///   - now: The current time.
  /// - Throws: `StoreError`.
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

  private func dueSubscribers(_ ids: [Int64], at now: Timestamp) throws(StoreError) -> [Member] {
    let places = (0..<Purge.batch).map { "?\($0 + 3)" }.joined(separator: ", ")
    let statement = try statements[
      """
      SELECT s.id, s.address, s.address_key, s.state, s.suppression, s.confirmed_at,
        s.unsubscribed_at, s.suppressed_at, s.rejections
      FROM subscribers s WHERE s.id IN (\(places)) AND \(PurgedSubscribers.condition)
      """
    ]
    statement.bind(now.adding(.zero - Purge.age).millisecondsSince1970, at: 1)
    statement.bind(now.millisecondsSince1970, at: 2)
    for index in 0..<Purge.batch {
      statement.bind(index < ids.count ? ids[index] : nil, at: Int32(index + 3))
    }
    var found: [Member] = []
    while try statement.next() {
      do throws(StoreError) {
        found.append(try Self.readMember(statement))
      } catch {
        statement.reset()
        throw error
      }
    }
    return found
  }
}
