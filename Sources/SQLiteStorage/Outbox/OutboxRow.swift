/// A row of the outbox.
///
/// Queue 0 has rows that send nothing, queue 1 mails that were never tried or are leased, and queue 2
/// those that were tried before and wait behind them.
enum OutboxRow {
  /// Queues a mail that is due immediately.
  ///
  /// The parameters are the time, the mail's id, the subscriber, the consent, the kind, and the
  /// mailbox. A kind of 0 goes into queue 0, where nothing is sent.
  static let insertSQL = """
    INSERT INTO outbox(queue, due_at, id, subscriber_id, consent_id, kind, created_at, mailbox)
      VALUES (?5 > 0, ?1, ?2, ?3, ?4, ?5, ?1, ?6)
    """
}
