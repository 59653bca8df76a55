/// The sequences, which logical replication does not copy with the rows.
extension PostgreSQLSession {
  /// Continues the numbers of people and of pending rows after the largest ones.
  ///
  /// Without it, each number would be taken until the failures have reached the largest.
  ///
  /// - Returns: Whether numbers were behind.
  /// - Throws: `PostgreSQLError`; 42501 if the role may not set a sequence that is behind.
  func continueNumbers(by deadline: ContinuousClock.Instant) throws(PostgreSQLError) -> Bool {
    let numbers = [("subscribers", "id"), ("status_pending", "n")]
    var isBehind = false
    for (table, column) in numbers {
      // NULL if nothing is behind.
      let behind = """
        SELECT max(\(column)) FROM enlist.\(table) HAVING max(\(column)) > (
          SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END
          FROM enlist.\(table)_\(column)_seq
        )
        """
      guard try hasRow(of: Query(behind), by: deadline) else { continue }
      isBehind = true
      // The lock keeps others from taking a number in between, which would go back to it.
      try execute(
        script: """
          BEGIN;
          LOCK TABLE enlist.\(table) IN SHARE ROW EXCLUSIVE MODE;
          SELECT setval('enlist.\(table)_\(column)_seq', behind.max) FROM (\(behind)) AS behind;
          COMMIT
          """,
        by: deadline
      )
    }
    return isBehind
  }

  /// Returns whether a query has a row; `false` if the role may not read it, because nothing is
  /// known to be behind then, and a statement that writes fails for its own reason.
  private func hasRow(
    of query: Query, by deadline: ContinuousClock.Instant
  ) throws(PostgreSQLError) -> Bool {
    do throws(PostgreSQLError) {
      return try execute(query, by: deadline).count > 0
    } catch {
      if case .server(let state) = error, state == .insufficientPrivilege { return false }
      throw error
    }
  }
}
