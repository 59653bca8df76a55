/// A connection to a database that contains a list.
///
/// The rules of the list are decided in Swift: a statement reads, a pure function decides, and a
/// group of changes stores the decision, guarded by the values that were read. If another session
/// has changed them meanwhile, nothing is stored, and the three steps are repeated. So no lock of a
/// database server waits for this program.
// Not Sendable: one thread at a time uses a session.
package protocol ListSession {
  /// Reads the rows of statements, in one round trip if the database is a server.
  ///
  /// - Parameter read: Reads one row, which is valid during the call.
  func rows<Value>(
    ofEach statements: [BoundStatement], _ read: (any ListRow) throws(StoreError) -> Value
  ) throws(StoreError) -> [[Value]]

  /// Makes changes; returns for each group whether it was made.
  ///
  /// Each group is atomic: if a required statement changes no row, the group changes nothing.
  func change(groups: [[BoundStatement]]) throws(StoreError) -> [Bool]
}

extension ListSession {
  package func rows<Value>(
    _ statement: BoundStatement, _ read: (any ListRow) throws(StoreError) -> Value
  ) throws(StoreError) -> [Value] {
    try rows(ofEach: [statement], read).first ?? []
  }

  package func first<Value>(
    _ statement: BoundStatement, _ read: (any ListRow) throws(StoreError) -> Value
  ) throws(StoreError) -> Value? {
    try rows(statement, read).first
  }

  /// Makes changes together; returns whether they were made.
  package func change(_ statements: [BoundStatement]) throws(StoreError) -> Bool {
    try change(groups: [statements]).first ?? true
  }
}

/// A row of a result; a value is `nil` if it is NULL or of another type.
package protocol ListRow {
  func number(_ column: Int32) -> Int64?
  func text(_ column: Int32) -> String?
  func bytes(_ column: Int32) -> [UInt8]?
  func time(_ column: Int32) -> Timestamp?
}

extension ListRow {
  /// Reads a value that every release has written.
  func required<Value>(_ value: Value?) throws(StoreError) -> Value {
    guard let value else { throw .damaged }
    return value
  }

  /// Reads a membership from six columns, starting with `column`; its state is `nil` if that column
  /// is NULL.
  ///
  /// The columns are state, suppression, confirmed_at, unsubscribed_at, suppressed_at and
  /// rejections.
  package func membership(_ column: Int32) throws(StoreError) -> Membership {
    guard let number = number(column) else { return .none }
    let reason = self.number(column + 1)
    guard let state = Subscriber.State(rawValue: number) else { throw .damaged }
    let suppression = reason.flatMap(Suppression.init(rawValue:))
    guard (suppression == nil) == (reason == nil) else { throw .damaged }
    return Membership(
      state: state,
      suppression: suppression,
      confirmedAt: time(column + 2),
      unsubscribedAt: time(column + 3),
      suppressedAt: time(column + 4),
      // Clamped, so that incrementing it never overflows.
      rejections: Int(Int32(clamping: self.number(column + 5) ?? 0))
    )
  }
}

/// A statement of the list, written once for both engines.
///
/// Parameters are `?1`, `?2`, …, and tables belong to the schema `enlist`, as in PostgreSQL.
package struct Statement: Sendable {
  /// The text for SQLite; `nil` if one writer at a time makes the statement unnecessary.
  package let sqlite: String?
  package let postgreSQL: String

  package init(_ sql: String) {
    self.init(sqlite: sql, postgreSQL: sql)
  }

  init(sqlite: String?, postgreSQL: String) {
    self.sqlite = sqlite?.replacing("enlist.", with: "")
    self.postgreSQL = postgreSQL.replacing("?", with: "$")
  }

  /// Returns the statement with values for its parameters.
  package func callAsFunction(_ values: ListValue...) -> BoundStatement {
    BoundStatement(statement: self, values: values)
  }

  package func callAsFunction(_ values: [ListValue]) -> BoundStatement {
    BoundStatement(statement: self, values: values)
  }
}

/// A value of a parameter; `nil` is NULL.
package enum ListValue: Sendable {
  case number(Int64?)
  case text(String?)
  case bytes([UInt8]?)
  case time(Timestamp?)
}

/// A statement with values for its parameters.
package struct BoundStatement: Sendable {
  package let statement: Statement
  package let values: [ListValue]
  /// Whether the statement must change a row; otherwise its group changes nothing.
  package private(set) var isRequired = false

  init(statement: Statement, values: [ListValue]) {
    self.statement = statement
    self.values = values
  }

  /// The statement, which must change a row.
  package var required: BoundStatement {
    var required = self
    required.isRequired = true
    return required
  }
}
