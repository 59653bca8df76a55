/// A row of the outbox.
///
/// Queue 0 has substitute rows, which send nothing. Queue 1 has mails that are new or leased, and
/// queue 2 has mails that were tried before, which wait behind those of queue 1.
enum OutboxRow {
  /// Queues a mail that is due immediately.
  ///
  /// The parameters are the time, the mail's id, the subscriber, the consent, the kind, and the
  /// mailbox. Kind 0 goes into queue 0, which sends nothing.
  static let insertSQL = """
    INSERT INTO outbox(queue, due_at, id, subscriber_id, consent_id, kind, created_at, mailbox)
      VALUES (?5 > 0, ?1, ?2, ?3, ?4, ?5, ?1, ?6)
    """
}
