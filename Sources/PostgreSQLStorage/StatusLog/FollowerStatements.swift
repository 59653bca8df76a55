internal import MailingList

/// The follower's statements.
enum FollowerStatements {
  /// The maximum number of rows that a statement reads.
  static let rowLimit = 1000
  /// The maximum number of rows that one call of `number_pending` numbers.
  ///
  /// A row contains up to 128 events: numbering 1,000 full rows takes 0.2 s, and 10,000 took longer
  /// than the 2 s of a round.
  static let numberLimit = 1_000

  static let listen = Query("LISTEN enlist")

  /// The highest number that a pending row has had.
  static let highestPending = Query(
    "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM enlist.status_pending_n_seq")

  /// The oldest row of the log.
  static let oldest = Query("SELECT last, payloads FROM enlist.status_log ORDER BY last LIMIT 1")

  /// The newest row of the log.
  static let newest = Query(
    "SELECT last, payloads FROM enlist.status_log ORDER BY last DESC LIMIT 1")

  /// Returns the statement that numbers pending rows, and messages of executions that failed here.
  ///
  /// - Parameter since: A number that every pending row exceeds.
  static func number(_ messages: [StatusPayload], since: Int64) -> Query {
    Query("SELECT numbered, malformed FROM enlist.number_pending($1, $2)")
      .binding(array: messages.map { $0.rawValue }).binding(since)
  }

  /// Returns the query for the epoch, the rows after a position, and the mark of the newest event,
  /// in one snapshot.
  ///
  /// Without such rows, the result is one row in which their columns are NULL.
  static func read(after position: Int64) -> Query {
    Query(
      """
      SELECT e.epoch, l.last, l.payloads, (
        SELECT \(eventMark) FROM enlist.events ORDER BY position DESC LIMIT 1
      )
      FROM (SELECT epoch FROM enlist.log_epoch ORDER BY since DESC LIMIT 1) AS e
      LEFT JOIN LATERAL (
        SELECT last, payloads FROM enlist.status_log WHERE last > $1
        ORDER BY last LIMIT \(rowLimit)
      ) AS l ON true
      ORDER BY l.last
      """
    ).binding(position)
  }

  /// Returns a query that determines whether the log still contains an event that was read; in a
  /// restored log, a newer event may have its position.
  static func hasEvent(_ mark: String) -> Query {
    Query(
      """
      SELECT count(*) FROM enlist.events
      WHERE position = split_part($1, ' ', 1)::bigint AND \(eventMark) = $1
      """
    ).binding(mark)
  }

  /// The mark of an event: its position and its time.
  private static let eventMark = "position || ' ' || extract(epoch FROM at)"

  /// Returns a query for the stored ones of some executions.
  static func stored(_ ids: [ExecutionID]) -> Query {
    Query("SELECT id FROM enlist.consents WHERE id = ANY($1) AND kind = 'requested'")
      .binding(array: ids.map { Optional($0.bytes) })
  }

  /// Returns the query for the last confirmations of subscribers.
  static func confirmations(_ subscribers: [Int64]) -> Query {
    Query(
      """
      SELECT id, confirmed_at FROM enlist.subscribers
      WHERE id = ANY($1) AND state = 1 AND confirmed_at IS NOT NULL
      """
    ).binding(array: subscribers.map { Optional($0) })
  }

  /// The maximum number of rows that a statement deletes.
  static let retentionLimit = 10_000

  /// Returns the statement that deletes rows which no follower needs, and counts them.
  ///
  /// The newest row remains, because numbering continues from it.
  static func retain(_ count: Int64) -> Query {
    Query(
      """
      WITH deleted AS (
        DELETE FROM enlist.status_log WHERE last IN (
          SELECT last FROM enlist.status_log
          WHERE last <= (SELECT max(last) FROM enlist.status_log) - $1
          ORDER BY last LIMIT \(retentionLimit)
        ) RETURNING last
      )
      SELECT count(*) FROM deleted
      """
    ).binding(count)
  }

  /// The script that begins a transaction, in which only one follower adds an epoch.
  static let beginEpoch = """
    BEGIN;
    LOCK TABLE enlist.log_epoch IN EXCLUSIVE MODE
    """

  /// Returns the statement that adds an epoch, unless the newest one is unknown to the follower.
  static func addEpoch(_ epoch: String, after known: [String]) -> Query {
    Query(
      """
      INSERT INTO enlist.log_epoch(epoch, since)
      SELECT $1, greatest(clock_timestamp(), max(since) + interval '1 microsecond')
      FROM enlist.log_epoch
      HAVING (SELECT epoch FROM enlist.log_epoch ORDER BY since DESC LIMIT 1) = ANY($2)
      """
    ).binding(epoch).binding(array: known.map { Optional($0) })
  }

  /// Returns the statement that sends a notification to all followers.
  static func notify(_ text: String) -> Query {
    Query("SELECT pg_notify('enlist', $1)").binding(text)
  }
}

extension QueryResult {
  /// The epoch in a result of ``FollowerStatements/read(after:)``.
  func epoch() throws(PostgreSQLError) -> String {
    try required(0, 0)
  }

  /// The mark of the newest event in a result of ``FollowerStatements/read(after:)``; `nil` if
  /// there is no event.
  func newestEvent() throws(PostgreSQLError) -> String? {
    try value(0, 3)
  }

  /// Returns the rows of the log in a result; their first column is `column`.
  func logRows(from column: Int = 0) throws(PostgreSQLError) -> [LogRow] {
    var rows: [LogRow] = []
    for index in 0..<count {
      guard let last: Int64 = try value(index, column) else { continue }
      guard let payloads: [Int64?] = try array(index, column + 1) else { throw .malformed }
      rows.append(LogRow(last: last, payloads: payloads.compactMap(\.self)))
    }
    return rows
  }
}
