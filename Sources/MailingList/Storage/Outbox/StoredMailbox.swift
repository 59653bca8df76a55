/// The stored times of the latest mails to a mailbox, the last charge first.
///
/// The order is that of the charges, even if the clock was set back between them.
struct StoredMailbox {
  /// The stored bytes: 8 for each time, big-endian milliseconds since 1970; empty without a row.
  ///
  /// Databases compare bytes from the first on, so mailboxes have the order of their last charges.
  /// A change compares these bytes, also if another program has written them and they are no times.
  private(set) var bytes: [UInt8] = []

  private static let timeBytes = 8

  var times: [Timestamp] {
    stride(from: 0, through: bytes.count - Self.timeBytes, by: Self.timeBytes).map { start in
      let number = bytes[start..<start + Self.timeBytes].reduce(0) { $0 << 8 | UInt64($1) }
      return Timestamp(millisecondsSince1970: Int64(bitPattern: number))
    }
  }

  /// Returns the mailbox after one more mail.
  func adding(_ time: Timestamp) -> StoredMailbox {
    let first = withUnsafeBytes(of: UInt64(clamping: time.millisecondsSince1970).bigEndian) {
      Array($0)
    }
    let rest = bytes.prefix(Self.timeBytes * (MailboxHistory.capacity - 1))
    return StoredMailbox(bytes: first + rest)
  }

  /// Returns the mailbox without a mail that was not delivered; `nil` if there was no mail at that
  /// time.
  func removing(_ time: Timestamp) -> StoredMailbox? {
    guard let index = times.firstIndex(of: time) else { return nil }
    var rest = bytes
    let start = index * Self.timeBytes
    rest.removeSubrange(start..<start + Self.timeBytes)
    return StoredMailbox(bytes: rest)
  }

  /// Returns the history on which the budget of the next mail to a mailbox depends.
  static func history(
    of mailbox: [UInt8], _ mailboxes: [[UInt8]: StoredMailbox], at now: Timestamp
  ) -> MailboxHistory {
    let hash = mailbox.prefix(MailboxHistory.hashLength)
    let other = mailboxes.first { $0.key != mailbox && $0.key.starts(with: hash) }
    return MailboxHistory(
      own: MailboxHistory(mailboxes[mailbox]?.times ?? []),
      other: MailboxHistory(other?.value.times ?? []), of: mailbox, at: now)
  }

  /// Returns the change to other times, which fails if the stored ones have changed.
  func writing(_ after: StoredMailbox, as mailbox: [UInt8]) -> BoundStatement {
    let statement =
      if bytes.isEmpty {
        Self.insert(.bytes(mailbox), .bytes(after.bytes))
      } else if after.bytes.isEmpty {
        Self.delete(.bytes(mailbox), .bytes(bytes))
      } else {
        Self.update(.bytes(mailbox), .bytes(bytes), .bytes(after.bytes))
      }
    return statement.required
  }

  private static let insert = Statement(
    "INSERT INTO enlist.mailboxes(mac, times) VALUES (?1, ?2) ON CONFLICT (mac) DO NOTHING")
  private static let update = Statement(
    "UPDATE enlist.mailboxes SET times = ?3 WHERE mac = ?1 AND times = ?2")
  private static let delete = Statement(
    "DELETE FROM enlist.mailboxes WHERE mac = ?1 AND times = ?2")
}

extension ListReader {
  /// Reads mailboxes, with those of the same person's other addresses.
  func mailboxes(of macs: [[UInt8]]) throws(StoreError) -> [[UInt8]: StoredMailbox] {
    // The two rows of a mailbox are adjacent.
    let hashes = Set(macs.map { Array($0.prefix(MailboxHistory.hashLength)) })
    let statements = hashes.map { Self.findMailboxes(.bytes($0), .bytes($0 + [.max])) }
    let rows = try session.rows(ofEach: statements) { (row) throws(StoreError) in
      (try row.required(row.bytes(0)), StoredMailbox(bytes: try row.required(row.bytes(1))))
    }
    return Dictionary(rows.joined()) { first, _ in first }
  }

  private static let findMailboxes = Statement(
    "SELECT mac, times FROM enlist.mailboxes WHERE mac BETWEEN ?1 AND ?2")
}
