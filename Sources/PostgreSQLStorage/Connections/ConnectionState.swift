/// What a connection is doing, as a pure function of what has happened.
///
/// ```text
/// opening ──► checking ──► ready ──► waiting or uncertain ──► opening
/// ```
///
/// A connection is uncertain while it is not known whether the server has executed what was sent on
/// the connection before.
struct ConnectionState: Hashable, Sendable {
  /// A step of a connection.
  enum Step: Hashable, Sendable, CaseIterable {
    /// A session is being opened.
    case opening
    /// The server is being tested.
    case checking
    /// Statements can be sent.
    case ready
    /// The next attempt follows after a pause.
    case waiting
    /// The same, with a statement whose outcome is unknown.
    case uncertain
    /// The connection is closed for good.
    case closed
  }

  /// What has happened.
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

  /// What is to be done.
  enum Effect: Hashable, Sendable {
    case nothing
    /// Open a session.
    case open
    /// Test the server.
    case check
    /// Send statements.
    case serve
    /// Send the statement whose outcome is unknown again, before any other.
    case resend
    /// Close the session, and pause.
    case pause
    /// Close the session.
    case close
  }

  /// The current step.
  private(set) var step = Step.opening
  /// Whether the outcome of a statement is unknown, or not known yet.
  private(set) var hasSent = false

  /// Handles an event; one that cannot happen in a step changes nothing.
  mutating func handle(_ event: Event) -> Effect {
    switch (step, event) {
    case (.closed, _):
      return .nothing
    case (_, .ended):
      step = .closed
      hasSent = false
      return .close
    case (.opening, .opened):
      step = .checking
      return .check
    case (.checking, .passed):
      step = .ready
      return hasSent ? .resend : .serve
    case (.ready, .sent):
      hasSent = true
      return .nothing
    case (.ready, .settled):
      hasSent = false
      return .serve
    case (.opening, .lost), (.checking, .lost), (.ready, .lost):
      step = hasSent ? .uncertain : .waiting
      return .pause
    case (.waiting, .paused), (.uncertain, .paused):
      step = .opening
      return .open
    case (.opening, .abandoned), (.checking, .abandoned):
      hasSent = false
      return .nothing
    case (.uncertain, .abandoned):
      hasSent = false
      step = .waiting
      return .nothing
    case (.ready, .abandoned):
      // The statement may still be under way in this session.
      guard hasSent else { return .nothing }
      hasSent = false
      step = .waiting
      return .pause
    case (.opening, .passed), (.opening, .sent), (.opening, .settled), (.opening, .paused),
      (.checking, .opened), (.checking, .sent), (.checking, .settled), (.checking, .paused),
      (.ready, .opened), (.ready, .passed), (.ready, .paused),
      (.waiting, .opened), (.waiting, .passed), (.waiting, .sent), (.waiting, .settled),
      (.waiting, .lost), (.waiting, .abandoned),
      (.uncertain, .opened), (.uncertain, .passed), (.uncertain, .sent), (.uncertain, .settled),
      (.uncertain, .lost):
      return .nothing
    }
  }
}
