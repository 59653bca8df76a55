/// The reason a statement failed.
enum PostgreSQLError: Error, Hashable, Sendable {
  /// There is no connection, and nothing was sent.
  case unreachable
  /// The connection broke, or the deadline passed, after the statement was sent: it is not known
  /// whether it was executed. The connection must be closed.
  case undetermined
  /// The server rejected the statement, which stored nothing.
  case server(SQLState)
  /// The server sent something that the program did not ask for, or an error without a code.
  case malformed
}
