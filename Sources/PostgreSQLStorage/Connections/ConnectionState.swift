/// The state of a connection.
///
/// ```text
/// opening ──► checking ──► ready ──► waiting ──► opening
/// ```
struct ConnectionState: Hashable, Sendable {
  /// A step of a connection.
  enum Step: Hashable, Sendable, CaseIterable {
    /// A session is being opened.
    case opening
    /// The server and the session are being tested.
    case checking
    /// Statements can be sent.
    case ready
    /// The session is closed; the next attempt follows after a pause.
    case waiting
    /// The connection is closed permanently.
    case closed
  }

  /// An event of a connection.
  enum Event: Hashable, Sendable, CaseIterable {
    /// The session is open.
    case opened
    /// The server has passed the tests.
    case passed
    /// A statement that changes data has been sent.
    case sent
    /// The outcome of the sent statement is known.
    case settled
    /// The session could not be opened, a test failed, or the session has become unusable.
    case lost
    /// The pause has ended.
    case paused
    /// The statement with an undetermined outcome has timed out, and is not sent again.
    case abandoned
    /// The connection is no longer needed.
    case ended
  }

  /// The current step.
  private(set) var step = Step.opening
  /// Whether a statement has an undetermined outcome, or no outcome yet.
  private(set) var hasSent = false

  /// Changes the state after an event; an event that is impossible in the current step has no
  /// effect.
  mutating func handle(_ event: Event) {
    guard step != .closed else { return }
    switch event {
    case .opened: if step == .opening { step = .checking }
    case .passed: if step == .checking { step = .ready }
    case .sent: if step == .ready { hasSent = true }
    case .settled: if step == .ready { hasSent = false }
    case .lost: step = .waiting
    case .paused: if step == .waiting { step = .opening }
    case .abandoned:
      // The server may still be executing the statement.
      if step == .ready, hasSent { step = .waiting }
      hasSent = false
    case .ended:
      step = .closed
      hasSent = false
    }
  }
}
