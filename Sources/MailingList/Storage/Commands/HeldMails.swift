/// The mails that are held because a budget is spent, for the operator's commands.
// Not Sendable: a single thread uses it.
package final class HeldMails {
  /// A held mail, by what is known of its sign-up.
  package struct Mail {
    package let createdAt: Timestamp
    /// The client address of the sign-up, as far as it is kept.
    package let clientAddress: String?
    package let origin: String?
    package let userAgent: String?
    fileprivate let key: [ListValue]
  }

  /// The change of held mails.
  package enum Action {
    /// They are due now, whatever the budgets.
    case release
    /// They are deleted; the people may sign up again.
    case drop
  }

  /// The number of mails that one transaction reads or changes.
  private static let batch = 512

  private let access: any CommandAccess

  package init(_ access: any CommandAccess) {
    self.access = access
  }

  /// Reads all held mails, the oldest first.
  package func forEach(_ body: (Mail) -> Void) throws(StoreError) {
    var last: [ListValue] = [.time(.distantPast), .bytes([])]
    while true {
      let mails = try access.perform { (session) throws(StoreError) in
        try session.rows(Self.find(last + [.number(Int64(Self.batch))]), Self.mail)
      }
      mails.forEach(body)
      guard mails.count == Self.batch, let key = mails.last?.key else { return }
      last = key
    }
  }

  /// Changes held mails; returns the number of those that were still held.
  package func perform(
    _ action: Action, on mails: [Mail], at time: Timestamp
  ) throws(StoreError) -> Int {
    var count = 0
    for start in stride(from: 0, to: mails.count, by: Self.batch) {
      let part = mails[start..<min(start + Self.batch, mails.count)]
      let groups = part.map { mail in
        switch action {
        case .release: [Self.release(mail.key + [.time(time)]).required]
        case .drop: [Self.drop(mail.key).required]
        }
      }
      count += try access.perform { (session) throws(StoreError) in
        try session.change(groups: groups).count { $0 }
      }
    }
    return count
  }

  package func close() { access.close() }

  private static func mail(_ row: any ListRow) throws(StoreError) -> Mail {
    let time = try row.required(row.time(0))
    return Mail(
      createdAt: time, clientAddress: row.text(2), origin: row.text(3), userAgent: row.text(4),
      key: [.time(time), .bytes(try row.required(row.bytes(1)))])
  }

  private static let find = Statement(
    """
    SELECT o.due_at, o.id, c.ip, c.origin, c.user_agent FROM enlist.outbox o
      LEFT JOIN enlist.consents c ON c.id = o.consent_id
      WHERE o.queue = 3 AND (o.due_at, o.id) > (?1, ?2) ORDER BY o.due_at, o.id LIMIT ?3
    """
  )
  private static let release = Statement(
    """
    UPDATE enlist.outbox SET queue = 1, due_at = ?3, is_released = 1
      WHERE queue = 3 AND due_at = ?1 AND id = ?2
    """
  )
  private static let drop = Statement(
    "DELETE FROM enlist.outbox WHERE queue = 3 AND due_at = ?1 AND id = ?2")
}
