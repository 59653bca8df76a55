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
