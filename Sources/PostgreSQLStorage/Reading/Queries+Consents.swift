internal import MailingList

extension Queries {
  /// Reads consents of subscribers, in the order of subscribers and times.
  ///
  /// - Parameter last: Only consents after this one are read; `nil` starts with the first.
  static func consents(
    ofSubscribers subscribers: ClosedRange<Int64>,
    after last: RecordedConsent?,
    limit: Int,
    in session: ReadSession
  ) throws(PostgreSQLError) -> [RecordedConsent] {
    let query = Query(
      """
      SELECT c.subscriber_id, c.id, c.kind, c.at, c.text, c.source_url, c.origin, c.ip,
        c.user_agent, c.locale, c.next, c.means, c.request_id, c.message_id, w.language, w.subject,
        w.text
      FROM (
        SELECT * FROM enlist.consents
        WHERE (subscriber_id, at, id) > ($1, $2, $3) AND subscriber_id <= $4
        ORDER BY subscriber_id, at, id LIMIT $5
      ) AS c LEFT JOIN enlist.wordings w ON w.hash = c.wording
      ORDER BY c.subscriber_id, c.at, c.id
      """
    )
    let rows = try session.read(
      query.binding(last?.subscriberID ?? subscribers.lowerBound)
        .binding(last?.time ?? .distantPast).binding(last?.id.bytes ?? [])
        .binding(subscribers.upperBound).binding(Int64(limit))
    )
    var consents: [RecordedConsent] = []
    consents.reserveCapacity(rows.count)
    for row in 0..<rows.count { consents.append(try consent(rows, row)) }
    return consents
  }

  private static func consent(
    _ rows: QueryResult,
    _ row: Int
  ) throws(PostgreSQLError) -> RecordedConsent {
    guard let id = ExecutionID(bytes: try rows.required(row, 1, as: [UInt8].self)) else {
      throw .malformed
    }
    return RecordedConsent(
      subscriberID: try rows.required(row, 0),
      id: id,
      kind: try rows.required(row, 2),
      time: try rows.required(row, 3),
      means: try rows.value(row, 11),
      requestID: try rows.value(row, 12, as: [UInt8].self).flatMap { ExecutionID(bytes: $0) },
      messageID: try rows.value(row, 13),
      wording: try wording(rows, row),
      consent: Consent(
        text: try rows.value(row, 4),
        sourceURL: try rows.value(row, 5),
        origin: try rows.value(row, 6),
        clientAddress: try rows.value(row, 7),
        userAgent: try rows.value(row, 8),
        locale: try rows.value(row, 9),
        next: try rows.value(row, 10)
      )
    )
  }

  private static func wording(
    _ rows: QueryResult,
    _ row: Int
  ) throws(PostgreSQLError) -> RecordedConsent.Wording? {
    guard let language: String = try rows.value(row, 14),
      let subject: String = try rows.value(row, 15), let text: String = try rows.value(row, 16)
    else { return nil }
    return RecordedConsent.Wording(language: language, subject: subject, text: text)
  }
}
