internal import MailingList

extension PreparedStatement: ListRow {}

/// The connection of a list in a file, within a transaction if it changes anything.
// Not Sendable: the thread of its connection uses it.
struct SQLiteSession: ListSession {
  private let statements: StatementCache

  init(_ db: SQLiteConnection) {
    statements = db.statements
  }

  func rows<Value>(
    ofEach statements: [BoundStatement], _ read: (any ListRow) throws(StoreError) -> Value
  ) throws(StoreError) -> [[Value]] {
    var results: [[Value]] = []
    for bound in statements {
      results.append(try prepare(bound)?.all(read) ?? [])
    }
    return results
  }

  func change(groups: [[BoundStatement]]) throws(StoreError) -> [Bool] {
    var results: [Bool] = []
    for group in groups { results.append(try change(group)) }
    return results
  }

  private func change(_ group: [BoundStatement]) throws(StoreError) -> Bool {
    let group = group.filter { $0.statement.sqlite != nil }
    // A first statement that changes nothing leaves nothing to roll back.
    let needsSavepoint = group.dropFirst().contains(where: \.isRequired)
    if needsSavepoint { try statements["SAVEPOINT list_changes"].run() }
    var isMade = true
    for bound in group {
      try prepare(bound)?.run()
      if bound.isRequired, statements.changesCount == 0 {
        isMade = false
        break
      }
    }
    if needsSavepoint {
      if !isMade { try statements["ROLLBACK TO list_changes"].run() }
      try statements["RELEASE list_changes"].run()
    }
    return isMade
  }

  /// Binds the values of a statement; `nil` if it is only for other engines.
  private func prepare(_ bound: BoundStatement) throws(StoreError) -> PreparedStatement? {
    guard let sql = bound.statement.sqlite else { return nil }
    let statement = try statements[sql]
    for (index, value) in bound.values.enumerated() {
      let index = Int32(index + 1)
      switch value {
      case .number(let number): statement.bind(number, at: index)
      case .text(let text): statement.bind(text, at: index)
      case .bytes(let bytes): statement.bind(bytes, at: index)
      case .time(let time): statement.bind(time?.millisecondsSince1970, at: index)
      }
    }
    return statement
  }
}
