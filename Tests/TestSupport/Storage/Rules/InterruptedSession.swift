package import MailingList

/// A session in which another service makes a change between what is read and what is written.
package final class InterruptedSession: ListSession {
  private let session: any ListSession
  private let table: String
  private var interruption: BoundStatement?

  /// Makes a session.
  ///
  /// - Parameters:
  ///   - session: The session that reads and writes.
  ///   - table: The change of the other service precedes the first one of this table.
  ///   - interruption: The change of the other service.
  package init(
    _ session: any ListSession, beforeChanging table: String, _ interruption: BoundStatement
  ) {
    self.session = session
    self.table = table
    self.interruption = interruption
  }

  /// Whether the other service has made its change.
  package var isInterrupted: Bool { interruption == nil }

  package func rows<Value>(
    ofEach statements: [BoundStatement], _ read: (any ListRow) throws(StoreError) -> Value
  ) throws(StoreError) -> [[Value]] {
    try session.rows(ofEach: statements, read)
  }

  package func change(groups: [[BoundStatement]]) throws(StoreError) -> [Bool] {
    let words = ["UPDATE", "DELETE FROM", "INSERT INTO"].map { "\($0) enlist.\(table)" }
    let isChanged = groups.joined().contains { bound in
      words.contains { bound.statement.postgreSQL.hasPrefix($0) }
    }
    if isChanged, let change = interruption {
      interruption = nil
      _ = try session.change([change.required])
    }
    return try session.change(groups: groups)
  }
}
