/// A change of a connection that the operator should know.
package enum ConnectionReport: Hashable, Sendable {
  /// The connection was lost, or could not be opened; reported once until it is ready again.
  ///
  /// - Parameter reason: The server's code, or what was found when no statement was under way. It
  ///   never contains a message that may quote an address.
  case lost(server: String, reason: String)
  /// The server cannot be used, or rejects the connection; reported once for each reason.
  case rejected(server: String, reason: String)
  /// The connection is ready again.
  case back(server: String)
  /// A risk of the server; reported once.
  case warning(ServerWarning)
}
