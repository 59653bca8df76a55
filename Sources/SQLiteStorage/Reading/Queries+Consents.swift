internal import MailingList

extension Queries {
  /// Reads consents in the order of subscribers and consent ids, which begin with the time.
  ///
  /// - Parameter last: Only consents after this one are read; `nil` starts with the first.
  static func consents(
    ofSubscribers subscribers: ClosedRange<Int64>,
    after last: RecordedConsent?,
    limit: Int,
    in db: SQLiteConnection
  ) throws(StoreError) -> [RecordedConsent] {
    let statement = try db.statements[
      """
      SELECT c.subscriber_id, c.id, c.kind, c.at, c.text, c.source_url, c.origin, c.ip,
        c.user_agent, c.locale, c.next, c.means, c.request_id, c.message_id,
        w.language, w.subject, w.text
      FROM consents c LEFT JOIN wordings w ON w.hash = c.wording
      WHERE (c.subscriber_id, c.id) > (?1, ?2) AND c.subscriber_id <= ?3
      ORDER BY c.subscriber_id, c.id LIMIT ?4
      """
    ]
    statement.bind(last?.subscriberID ?? subscribers.lowerBound, at: 1)
    statement.bind(last?.id.bytes ?? [], at: 2)
    statement.bind(subscribers.upperBound, at: 3)
    statement.bind(Int64(limit), at: 4)
    return try statement.all(consent)
  }

  private static func consent(
    _ row: PreparedStatement
  ) throws(StoreError) -> RecordedConsent {
    guard let subscriberID = row.number(0), let id = executionID(row, 1),
      let kind = row.text(2), let time = row.time(3)
    else { throw .damaged }
    return RecordedConsent(
      subscriberID: subscriberID,
      id: id,
      kind: kind,
      time: time,
      means: row.text(11),
      requestID: executionID(row, 12),
      messageID: row.text(13),
      wording: wording(row),
      consent: Consent(
        text: row.text(4),
        sourceURL: row.text(5),
        origin: row.text(6),
        clientAddress: row.text(7),
        userAgent: row.text(8),
        locale: row.text(9),
        next: row.text(10)
      )
    )
  }

  private static func wording(_ row: PreparedStatement) -> RecordedConsent.Wording? {
    guard let language = row.text(14), let subject = row.text(15), let text = row.text(16) else {
      return nil
    }
    return RecordedConsent.Wording(language: language, subject: subject, text: text)
  }

  private static func executionID(_ row: PreparedStatement, _ column: Int32) -> ExecutionID? {
    row.bytes(column).flatMap { ExecutionID(bytes: $0) }
  }
}
