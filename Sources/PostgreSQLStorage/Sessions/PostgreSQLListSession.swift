internal import MailingList

/// The session of a list in a server's database.
// Not Sendable: the thread of its connection uses it.
final class PostgreSQLListSession: ListSession {
  private let session: PostgreSQLSession
  private let deadline: ContinuousClock.Instant
  /// Whether a statement that may have changed data was sent.
  private var mayHaveChanged = false
  /// The last error of a statement, which determines whether the connection can still be used.
  private(set) var failure: PostgreSQLError?

  /// Creates a session whose results must all arrive by one deadline.
  init(_ session: PostgreSQLSession, by deadline: ContinuousClock.Instant) {
    self.session = session
    self.deadline = deadline
  }

  func rows<Value>(
    ofEach statements: [BoundStatement], _ read: (any ListRow) throws(StoreError) -> Value
  ) throws(StoreError) -> [[Value]] {
    if !statements.allSatisfy({ $0.statement.postgreSQL.hasPrefix("SELECT") }) {
      mayHaveChanged = true
    }
    var results: [[Value]] = []
    for result in try execute(statements.map { [Self.query($0)] }) {
      let rows: QueryResult
      switch result {
      case .success(let results):
        guard let first = results.first else { throw failed(.malformed) }
        rows = first
      case .failure(let error): throw failed(error)
      }
      var values: [Value] = []
      for row in 0..<rows.count { values.append(try read(PostgreSQLRow(rows: rows, row: row))) }
      results.append(values)
    }
    return results
  }

  func change(groups: [[BoundStatement]]) throws(StoreError) -> [Bool] {
    mayHaveChanged = true
    var results: [Bool] = []
    for result in try execute(groups.map { $0.map(Self.query) }) {
      switch result {
      case .success: results.append(true)
      case .failure(.server(let state)) where state == .changedRow: results.append(false)
      case .failure(let error): throw failed(error)
      }
    }
    return results
  }

  private func execute(
    _ groups: [[Query]]
  ) throws(StoreError) -> [Result<[QueryResult], PostgreSQLError>] {
    if groups.isEmpty { return [] }
    do throws(PostgreSQLError) {
      return try session.execute(groups: groups, by: deadline)
    } catch {
      throw failed(error)
    }
  }

  /// Records an error; reads can be repeated, so after reads alone no outcome is undetermined.
  private func failed(_ error: PostgreSQLError) -> StoreError {
    let error = error == .undetermined && !mayHaveChanged ? .unreachable : error
    failure = error
    return StoreError(error)
  }

  private static func query(_ bound: BoundStatement) -> Query {
    let sql = bound.statement.postgreSQL
    var query = Query(
      bound.isRequired
        ? """
        WITH changed AS (\(sql) RETURNING 1)
          SELECT enlist.require_change(count(*)) FROM changed
        """
        : sql
    )
    for value in bound.values {
      switch value {
      case .number(let number): query.bind(number)
      case .text(let text): query.bind(text)
      case .bytes(let bytes): query.bind(bytes)
      case .time(let time): query.bind(time)
      }
    }
    return query
  }
}

/// A row of a result.
struct PostgreSQLRow: ListRow {
  let rows: QueryResult
  let row: Int

  func number(_ column: Int32) -> Int64? { rows.integer(row, Int(column)) }

  func text(_ column: Int32) -> String? {
    (try? rows.value(row, Int(column), as: String.self)) ?? nil
  }

  func bytes(_ column: Int32) -> [UInt8]? {
    (try? rows.value(row, Int(column), as: [UInt8].self)) ?? nil
  }

  func time(_ column: Int32) -> Timestamp? {
    (try? rows.value(row, Int(column), as: Timestamp.self)) ?? nil
  }
}
