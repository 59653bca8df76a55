internal import MailingList

extension PostgreSQLConnection {
  /// The reason why the store cannot be used while the connection is not ready.
  var storeError: StoreError {
    switch rejection {
    case .readOnly: .readOnly
    case .foreignSchema, .schemaNewer: .incompatible
    case .notDurable, .tooOld, .encoding, .pooler, .unfinishedCopy, .sequencesBehind, nil:
      .unreachable
    }
  }

  /// Returns the reason why the database was not opened, after an error of the first statements.
  func openingError(
    _ error: PostgreSQLError, at location: String
  ) -> PostgreSQLOpeningError {
    // An attempt to connect has its own reason.
    if error.endsSession, current != nil { lost(error) }
    if let rejection { return .rejected(location: location, rejection) }
    switch error {
    case .server(let state) where !state.endsConnection:
      return .failed(location: location, code: "\(state)")
    case .malformed: return .failed(location: location, code: "XX001")
    case .server, .unreachable, .undetermined:
      let reason = problem ?? ""
      return isDenied || hasResponded
        ? .denied(location: location, reason: reason)
        : .unreachable(location: location, reason: reason)
    }
  }

  /// Monitors the idle session, and opens another one as soon as it is lost.
  func watch(until wakeUp: WakeUp) {
    let deadline = ContinuousClock.now + wakeUp.longestWait
    guard let session = current else {
      _ = try? ready(by: deadline, or: wakeUp.descriptor)
      return
    }
    do throws(PostgreSQLError) {
      _ = try session.notification(by: deadline, or: wakeUp.descriptor)
    } catch {
      lost(error)
    }
  }
}

extension PostgreSQLError {
  /// Whether the session has become unusable.
  var endsSession: Bool {
    switch self {
    case .server(let state): state.endsConnection
    case .unreachable, .undetermined, .malformed: true
    }
  }
}
