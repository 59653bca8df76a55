internal import MailingList

/// The stored times of the latest mails to a mailbox, the last charge first.
///
/// The order is that of the charges, even if the clock was set back between them.
struct StoredMailbox: Equatable {
  private(set) var times: [Timestamp] = []

  /// Returns the mailbox after one more mail.
  func adding(_ time: Timestamp) -> StoredMailbox {
    StoredMailbox(times: Array(([time] + times).prefix(MailboxHistory.capacity)))
  }

  /// Returns the mailbox without a mail that was not delivered; `nil` if there was no mail at that
  /// time.
  func removing(_ time: Timestamp) -> StoredMailbox? {
    guard let index = times.firstIndex(of: time) else { return nil }
    var rest = times
    rest.remove(at: index)
    return StoredMailbox(times: rest)
  }

  /// Returns the history on which the budget of the next mail to a mailbox depends.
  static func history(
    of mailbox: [UInt8],
    _ mailboxes: [[UInt8]: StoredMailbox],
    at now: Timestamp
  ) -> MailboxHistory {
    let hash = mailbox.prefix(MailboxHistory.hashLength)
    let other = mailboxes.first { $0.key != mailbox && $0.key.starts(with: hash) }
    return MailboxHistory(
      own: MailboxHistory(mailboxes[mailbox]?.times ?? []),
      other: MailboxHistory(other?.value.times ?? []),
      of: mailbox,
      at: now
    )
  }

  /// Reads a mailbox from five columns.
  init(_ row: any ListRow, from column: Int32) {
    times = (column..<column + Int32(MailboxHistory.capacity)).compactMap { row.time($0) }
  }

  init(times: [Timestamp] = []) {
    self.times = times
  }

  /// Returns the change to other times, which fails if the stored ones have changed.
  func writing(_ after: StoredMailbox, as mailbox: [UInt8]) -> BoundStatement {
    let statement =
      if times.isEmpty {
        Self.insert([.bytes(mailbox)] + after.columns)
      } else if after.times.isEmpty {
        Self.delete([.bytes(mailbox)] + columns)
      } else {
        Self.update([.bytes(mailbox)] + columns + after.columns)
      }
    return statement.required
  }

  private var columns: [ListValue] {
    (0..<MailboxHistory.capacity).map { .time($0 < times.count ? times[$0] : nil) }
  }

  private static let isStored = """
    (mail_1, mail_2, mail_3, mail_4, mail_5) IS NOT DISTINCT FROM (?2, ?3, ?4, ?5, ?6)
    """
  private static let insert = Statement(
    """
    INSERT INTO enlist.mailboxes(mac, mail_1, mail_2, mail_3, mail_4, mail_5)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (mac) DO NOTHING
    """
  )
  private static let update = Statement(
    """
    UPDATE enlist.mailboxes SET mail_1 = ?7, mail_2 = ?8, mail_3 = ?9, mail_4 = ?10, mail_5 = ?11
      WHERE mac = ?1 AND \(isStored)
    """
  )
  private static let delete = Statement(
    "DELETE FROM enlist.mailboxes WHERE mac = ?1 AND \(isStored)"
  )
}

extension ListReader {
  /// Reads mailboxes, with those of the same person's other addresses.
  func mailboxes(of macs: [[UInt8]]) throws(StoreError) -> [[UInt8]: StoredMailbox] {
    // The two rows of a mailbox are adjacent.
    let hashes = Set(macs.map { Array($0.prefix(MailboxHistory.hashLength)) })
    let statements = hashes.map { Self.findMailboxes(.bytes($0), .bytes($0 + [.max])) }
    let rows = try session.rows(ofEach: statements) { (row) throws(StoreError) in
      (try row.required(row.bytes(0)), StoredMailbox(row, from: 1))
    }
    return Dictionary(rows.joined()) { first, _ in first }
  }

  private static let findMailboxes = Statement(
    """
    SELECT mac, mail_1, mail_2, mail_3, mail_4, mail_5 FROM enlist.mailboxes
      WHERE mac BETWEEN ?1 AND ?2
    """
  )
}
