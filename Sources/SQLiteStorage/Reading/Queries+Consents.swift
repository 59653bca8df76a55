internal import Foundation
internal import GRDB
internal import MailingList

extension Queries {
  /// Reads consents in the order of subscribers and consent ids, which begin with the time.
  ///
  /// - Parameter last: Only consents after this one are read; `nil` starts with the first.
  static func consents(
    ofSubscribers subscribers: ClosedRange<Int64>,
    after last: RecordedConsent?,
    limit: Int,
    in db: Database
  ) throws -> [RecordedConsent] {
    let statement = try db.cachedStatement(
      sql: """
        SELECT c.subscriber_id, c.id, c.kind, c.at, c.text, c.source_url, c.origin, c.ip,
          c.user_agent, c.locale, c.next, c.means, c.request_id, c.message_id,
          w.language, w.subject, w.text
        FROM consents c LEFT JOIN wordings w ON w.hash = c.wording
        WHERE (c.subscriber_id, c.id) > (?, ?) AND c.subscriber_id <= ?
        ORDER BY c.subscriber_id, c.id LIMIT ?
        """
    )
    let rows = try Row.fetchCursor(
      statement,
      arguments: [
        last?.subscriberID ?? subscribers.lowerBound, Data(last?.id.bytes ?? []),
        subscribers.upperBound, limit,
      ]
    )
    var consents: [RecordedConsent] = []
    while let row = try rows.next() { consents.append(try consent(row)) }
    return consents
  }

  private static func consent(_ row: Row) throws(StoreError) -> RecordedConsent {
    guard
      let subscriberID = Int64.fromDatabaseValue(row[0]),
      let id = executionID(row[1]),
      let kind = String.fromDatabaseValue(row[2]),
      let time = Int64.fromDatabaseValue(row[3])
    else { throw .damaged }
    return RecordedConsent(
      subscriberID: subscriberID,
      id: id,
      kind: kind,
      time: Timestamp(millisecondsSince1970: time),
      means: String.fromDatabaseValue(row[11]),
      requestID: executionID(row[12]),
      messageID: String.fromDatabaseValue(row[13]),
      wording: wording(row),
      consent: Consent(
        text: String.fromDatabaseValue(row[4]),
        sourceURL: String.fromDatabaseValue(row[5]),
        origin: String.fromDatabaseValue(row[6]),
        clientAddress: String.fromDatabaseValue(row[7]),
        userAgent: String.fromDatabaseValue(row[8]),
        locale: String.fromDatabaseValue(row[9]),
        next: String.fromDatabaseValue(row[10])
      )
    )
  }

  private static func wording(_ row: Row) -> RecordedConsent.Wording? {
    guard
      let language = String.fromDatabaseValue(row[14]),
      let subject = String.fromDatabaseValue(row[15]),
      let text = String.fromDatabaseValue(row[16])
    else { return nil }
    return RecordedConsent.Wording(language: language, subject: subject, text: text)
  }

  private static func executionID(_ value: DatabaseValue) -> ExecutionID? {
    Data.fromDatabaseValue(value).flatMap { ExecutionID(bytes: $0) }
  }
}
