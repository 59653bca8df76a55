internal import MailingList

/// A check that the service can read every row.
enum RowCheck {
  /// The number of subscribers read in one transaction.
  ///
  /// Between transactions, the log of a running service can restart from its beginning.
  private static let pageSize = 500

  /// Reads every row; each call of `read` is a transaction.
  static func run(path: String, _ read: ((SQLiteConnection) throws -> Void) throws -> Void) throws {
    var last: Int64?
    var isComplete = false
    while !isComplete {
      try read { db in
        let list = ListReader(SQLiteSession(db))
        let page = try rows("subscribers", path) {
          try list.subscribers(after: last, limit: pageSize)
        }
        guard let first = page.first?.id, let end = page.last?.id else {
          isComplete = true
          return
        }
        try rows("consents", path) {
          var consent: RecordedConsent?
          repeat {
            consent = try list.consents(ofSubscribers: first...end, after: consent, limit: pageSize)
              .last
          } while consent != nil
        }
        last = end
      }
    }
    try read { db in
      try rows("subscribers", path) {
        // The smallest integer precedes the first page.
        let first = try db.number("SELECT min(id) FROM subscribers")
        if let first, !ListReader.subscriberIDs.contains(first) { throw StoreError.damaged }
      }
      try rows("subscriber_ids", path) { _ = try Queries.lastSubscriberID(in: db) }
      try rows("outbox", path) { try checkOutbox(db) }
      try rows("tokens", path) { try checkTokens(db) }
      _ = try rows("keys", path) {
        try KeyTable(SQLiteSession(db)).keys()
      }
      try rows("secret", path) { try StoredSecret.check(in: db) }
    }
  }

  /// Adds the name of the table to the error for an unreadable row.
  private static func rows<Value>(
    _ table: String, _ path: String, _ body: () throws -> Value
  ) throws -> Value {
    do {
      return try body()
    } catch StoreError.damaged {
      throw StoreOpeningError.damaged(path: path, reason: "a row of \(table) cannot be read")
    }
  }

  private static func checkOutbox(_ db: SQLiteConnection) throws(StoreError) {
    let statement = try db.statements["SELECT id, consent_id, kind FROM outbox WHERE queue <> 0"]
    _ = try statement.all { (row) throws(StoreError) in
      guard let id = row.bytes(0), MailID(bytes: id) != nil,
        let consentID = row.bytes(1), ExecutionID(bytes: consentID) != nil,
        let kind = row.number(2), MailKind(rawValue: kind) != nil
      else { throw .damaged }
    }
  }

  private static func checkTokens(_ db: SQLiteConnection) throws(StoreError) {
    let statement = try db.statements["SELECT purpose, consent_id, length(hash) FROM tokens"]
    _ = try statement.all { (row) throws(StoreError) in
      guard let purpose = row.number(0), LinkPurpose(rawValue: purpose) != nil,
        let consentID = row.bytes(1), ExecutionID(bytes: consentID) != nil, row.number(2) == 32
      else { throw .damaged }
    }
  }
}
