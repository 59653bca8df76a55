package import MailingList

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
