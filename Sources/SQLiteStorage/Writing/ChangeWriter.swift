internal import MailingList
internal import Security

/// The writer of all changes except sign-ups, with what only a file needs: the claims of earlier
/// processes and the lock of the relay.
///
/// Its functions are called within a transaction that ``SignUpWriter`` begins and ends.
// Not Sendable: only the writer's thread uses it.
final class ChangeWriter {
  let list: ListWriter
  private let statements: StatementCache
  /// The lock of the process that sends the mails; `nil` if the database is not a regular file.
  private let relayLock: RelayLock?
  /// Whether the mails claimed by earlier processes have been made due.
  private var isRecovered = false
  private var hasRecovered = false

  init(
    _ db: SQLiteConnection, keys: MailKeys, optIn: OptIn, relayLock: RelayLock?,
    random: RandomPool
  ) {
    statements = db.statements
    let session = SQLiteSession(db)
    list = ListWriter(session, keys: keys, optIn: optIn, random: random)
    self.relayLock = relayLock
  }

  /// Effects of a transaction that count only once it is durable.
  struct Progress {
    /// Whether a mail or its substitute row has been queued, or held mails may have room.
    var mailsMayBeDue = false
    /// Whether the claims of an earlier process have been released.
    var hasRecovered = false
  }

  /// The progress of the open transaction, or of the last one if none is open.
  var progress: Progress {
    get { Progress(mailsMayBeDue: list.mailsMayBeDue, hasRecovered: hasRecovered) }
    set {
      list.mailsMayBeDue = newValue.mailsMayBeDue
      hasRecovered = newValue.hasRecovered
    }
  }

  /// Records that the transaction is durable.
  func committed() {
    if hasRecovered { isRecovered = true }
  }

  /// The pause before another attempt to take the lock from another process.
  static let lockInterval: Duration = .seconds(1)

  /// Claims mails, unless another process has the lock; `nil` claims none.
  func claim(_ claim: MailClaim?) throws(StoreError) -> MailBatch {
    guard let claim else {
      return MailBatch(mails: [], dropped: 0, withheld: 0, nextDueAt: try list.nextDueAt())
    }
    if let relayLock, !relayLock.take() {
      let next = claim.now.adding(Self.lockInterval)
      return MailBatch(mails: [], dropped: 0, withheld: 0, nextDueAt: next)
    }
    try recoverClaims(at: claim.now)
    return try list.claim(claim, isShared: false)
  }

  /// The longest possible time until a mail is due, which exceeds any lease and any retry delay.
  private static let longestDelay: Duration = .seconds(86_400)

  /// Makes mails due that an earlier process claimed; only the first durable call has an effect.
  ///
  /// The same applies to mails beyond ``longestDelay``: they were queued while the clock was ahead,
  /// and would wait until it reached that time again.
  private func recoverClaims(at now: Timestamp) throws(StoreError) {
    if isRecovered || hasRecovered { return }
    let statement = try statements[
      """
      UPDATE outbox SET queue = iif(attempts > 0, 2, 1), due_at = ?1, is_claimed = 0
        WHERE queue > 0 AND (is_claimed = 1 OR due_at > ?2)
      """
    ]
    statement.bind(now.millisecondsSince1970, at: 1)
    statement.bind(now.adding(Self.longestDelay).millisecondsSince1970, at: 2)
    try statement.run()
    hasRecovered = true
  }
}
