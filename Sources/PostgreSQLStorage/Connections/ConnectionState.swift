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
    /// The server is being tested.
    case checking
    /// Statements can be sent.
    case ready
    /// The session is closed; the next attempt follows after a pause.
    case waiting
    /// The connection is closed for good.
    case closed
  }

  /// An event in the life of a connection.
  enum Event: Hashable, Sendable, CaseIterable {
    /// The session is open.
    case opened
    /// The server has passed the tests.
    case passed
    /// A statement that changes something has been sent.
    case sent
    /// Its outcome is known.
    case settled
    /// The session could not be opened, the server did not pass, or the session is of no use any
    /// more.
    case lost
    /// The pause is over.
    case paused
    /// The time of the statement whose outcome is unknown is over: it is not sent again.
    case abandoned
    /// The connection is not needed any more.
    case ended
  }

  /// The current step.
  private(set) var step = Step.opening
  /// Whether the outcome of a statement is unknown, or not known yet.
  private(set) var hasSent = false

  /// Handles an event; one that cannot happen in a step changes nothing.
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
      // The statement may still be under way in a session that is ready.
      if step == .ready, hasSent { step = .waiting }
      hasSent = false
    case .ended:
      step = .closed
      hasSent = false
    }
  }
}
