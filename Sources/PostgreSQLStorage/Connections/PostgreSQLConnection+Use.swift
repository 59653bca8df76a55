internal import MailingList

extension PostgreSQLConnection {
  /// The reason why nothing can be stored or read while the connection is not ready.
  var storeError: StoreError {
    switch rejection {
    case .readOnly: .readOnly
    case .foreignSchema, .schemaNewer: .incompatible
    case .notDurable, .tooOld, .encoding, .pooler, .unfinishedCopy, nil: .unreachable
    }
  }

  /// Watches the session while there is nothing to do, and opens another one as soon as it is lost.
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
  /// Whether the session is of no use any more.
  var endsSession: Bool {
    switch self {
    case .server(let state): state.endsConnection
    case .unreachable, .undetermined, .malformed: true
    }
  }
}
