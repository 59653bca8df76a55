package import MailingList

extension ListReader {
  /// Reads consents in the order of subscribers and consent ids, which begin with the time.
  ///
  /// - Parameter last: Only consents after this one are read; `nil` starts with the first.
  package func consents(
    ofSubscribers subscribers: ClosedRange<Int64>, after last: RecordedConsent?, limit: Int
  ) throws(StoreError) -> [RecordedConsent] {
    let statement = Self.listConsents(
      .number(last?.subscriberID ?? subscribers.lowerBound), .bytes(last?.id.bytes ?? []),
      .number(subscribers.upperBound), .number(Int64(limit)))
    return try session.rows(statement) { (row) throws(StoreError) in
      RecordedConsent(
        subscriberID: try row.required(row.number(0)),
        id: try row.required(row.bytes(1).flatMap { ExecutionID(bytes: $0) }),
        kind: try row.required(row.text(2)), time: try row.required(row.time(3)),
        means: row.text(11), requestID: row.bytes(12).flatMap { ExecutionID(bytes: $0) },
        messageID: row.text(13), wording: Self.wording(row),
        consent: Consent(
          text: row.text(4), sourceURL: row.text(5), origin: row.text(6),
          clientAddress: row.text(7), userAgent: row.text(8), locale: row.text(9),
          next: row.text(10), fields: row.text(17)))
    }
  }

  private static func wording(_ row: any ListRow) -> RecordedConsent.Wording? {
    guard let language = row.text(14), let subject = row.text(15), let text = row.text(16) else {
      return nil
    }
    return RecordedConsent.Wording(language: language, subject: subject, text: text)
  }

  private static let listConsents = Statement(
    """
    SELECT c.subscriber_id, c.id, c.kind, c.at, c.text, c.source_url, c.origin, c.ip,
      c.user_agent, c.locale, c.next, c.means, c.request_id, c.message_id,
      w.language, w.subject, w.text, c.fields
      FROM (
        SELECT * FROM enlist.consents
          WHERE (subscriber_id, id) > (?1, ?2) AND subscriber_id <= ?3
          ORDER BY subscriber_id, id LIMIT ?4
      ) AS c LEFT JOIN enlist.wordings w ON w.hash = c.wording
      ORDER BY c.subscriber_id, c.id
    """
  )
}
