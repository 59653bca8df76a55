/// The reason why a statement failed.
enum PostgreSQLError: Error, Hashable, Sendable {
  /// There is no connection, and nothing was sent.
  case unreachable
  /// The connection broke or the deadline passed after the statement was sent, so it may have been
  /// executed.
  ///
  /// The connection must be closed.
  case undetermined
  /// The server rejected the statement; nothing was stored.
  case server(SQLState)
  /// The server sent an unexpected result.
  case malformed
}
