/// A change of a connection that the operator should know.
package enum ConnectionReport: Hashable, Sendable {
  /// The connection was lost, or could not be opened; reported once until it is ready again, and
  /// once more if the server is rejected then.
  ///
  /// - Parameter reason: The server's code, or what the program has found. It never contains the
  ///   server's message, which may quote an address.
  case lost(reason: String)
  /// The connection is ready again.
  case back
  /// What the operator should know about the server; reported once.
  case warning(ServerWarning)
}
