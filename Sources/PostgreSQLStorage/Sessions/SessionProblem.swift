internal import CLibpq

/// The reason a session could not be opened.
struct SessionProblem: Hashable, Sendable {
  /// The first line of the client library's message.
  ///
  /// There was no statement whose values it might quote, and it never contains the password.
  let message: String
  /// Whether waiting does not change it.
  ///
  /// The server rejects the role, its password or the database, or its certificate is not accepted;
  /// otherwise it is not there, or not ready yet.
  let isPermanent: Bool

  /// Reads the last error of a connection; the corresponding C function is `PQerrorMessage`.
  init?(_ connection: OpaquePointer) {
    let text = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
    guard let line = text.split(separator: "\n").first else { return nil }
    self.init(message: String(line), lacksPassword: PQconnectionNeedsPassword(connection) == 1)
  }

  /// Finds out whether waiting can change an error.
  init(message: String, lacksPassword: Bool) {
    self.message = message
    // "FATAL:  28P01: password authentication failed"
    let state = message.firstRange(of: ":  ").flatMap { range in
      SQLState(message[range.upperBound...].prefix(5))
    }
    if let state {
      isPermanent = !state.isTemporary
    } else {
      // Messages of the client library have no code.
      isPermanent =
        lacksPassword || message.contains("certificate verify failed")
        || message.contains("does not match host name")
        || message.contains("does not support SSL")
    }
  }
}
