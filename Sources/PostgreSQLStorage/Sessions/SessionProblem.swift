internal import CLibpq

/// The reason why a session could not be opened.
struct SessionProblem: Hashable, Sendable {
  /// The first line of the client library's message.
  ///
  /// It quotes no value, because no statement was sent, and it never contains the password.
  let message: String
  /// Whether waiting cannot solve the problem.
  ///
  /// The server rejects the role, its password or the database, or its certificate is not valid;
  /// other servers are unreachable or not ready yet.
  let isPermanent: Bool
  /// Whether the server responded with an error, so it can be reached.
  let isResponse: Bool
  /// Whether the server or the role only reads, and the URL demands more.
  let isReadOnly: Bool

  /// Reads the last error of a connection, `nil` if it has no message; the corresponding C function
  /// is `PQerrorMessage`.
  init?(_ connection: OpaquePointer) {
    let text = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
    guard let line = text.split(separator: "\n").first else { return nil }
    self.init(message: String(line), lacksPassword: PQconnectionNeedsPassword(connection) == 1)
  }

  /// Determines from a message whether waiting can solve the problem.
  init(message: String, lacksPassword: Bool) {
    self.message = message
    // "FATAL:  28P01: password authentication failed"
    let state = message.firstRange(of: ":  ").flatMap { range in
      SQLState(message[range.upperBound...].prefix(5))
    }
    isResponse = state != nil
    isReadOnly =
      message.hasSuffix("session is read-only")
      || message.hasSuffix("server is in hot standby mode")
    if let state {
      isPermanent = !state.isTemporary
    } else {
      // Messages of the client library have no code.
      isPermanent =
        lacksPassword || message.contains("certificate verify failed")
        || message.contains("does not match host name")
        || message.contains("does not support SSL")
        || message.hasSuffix("session is not read-only")
        || message.hasSuffix("server is not in hot standby mode")
    }
  }
}
