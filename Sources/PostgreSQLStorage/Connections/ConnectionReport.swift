/// A change of a connection, for the operator.
package enum ConnectionReport: Hashable, Sendable {
  /// The connection was lost or could not be opened; reported once until it is ready again.
  ///
  /// The reason is an SQLSTATE, a fixed text, or the client library's message about an attempt to
  /// connect. It never quotes a subscriber's address.
  case lost(server: String, reason: String)
  /// The server cannot be used, or rejects the connection; reported once for each reason.
  case rejected(server: String, reason: String)
  /// The connection is ready again.
  case back(server: String)
  /// A risk of the server; reported once.
  case warning(ServerWarning)
}
