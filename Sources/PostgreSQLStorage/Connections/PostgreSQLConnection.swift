/// A connection to a database that is opened again, and tested again, whenever it is lost.
///
/// It blocks its thread, always with a deadline. ``ConnectionState`` decides what it does next.
// Not Sendable: one thread uses it.
final class PostgreSQLConnection {
  /// What a connection needs.
  struct Configuration: Sendable {
    /// Where the database is.
    let parameters: ConnectionParameters
    /// After how many milliseconds the server gives up a statement.
    var statementTimeout = 4000
    /// The latest version of the schema that the program knows.
    var knownSchema = SchemaMigrator().latest
    /// Whether a server that only reads is accepted.
    var mayRead = false
    /// Whether a database is accepted to which a list is being copied.
    var mayBeUnfinished = false
    /// Reports changes; called on the connection's thread.
    var report: @Sendable (ConnectionReport) -> Void = { _ in }
    /// The jitter of pauses, 0 to 1.
    var jitter: @Sendable () -> Double = { .random(in: 0...1) }
  }

  private let configuration: Configuration
  private var session: PostgreSQLSession?
  private var pause = ReconnectPause()
  private var pausedUntil = ContinuousClock.now
  private var isReportedLost = false
  /// The server process of the last session that has passed the tests.
  private var backend: Int32?
  /// The last server process whose statement had no result; it may still wait for a standby.
  private var unsettledBackend: Int32?
  private var reportedWarnings: Set<ServerWarning> = []

  /// What the connection is doing.
  private(set) var state = ConnectionState()
  /// Why the server was rejected at the last attempt; `nil` if it was not.
  private(set) var rejection: ServerRejection?

  /// What the client library said when no session could be opened; it contains no password.
  private(set) var problem: String?

  /// Creates a connection that is not open yet.
  ///
  /// - Parameter configuration: What it needs.
  init(_ configuration: Configuration) {
    self.configuration = configuration
  }

  /// How long opening and testing a session may take.
  private static let attemptTimeout: Duration = .seconds(5)
  /// How long either may take at least, however soon the deadline is.
  private static let attemptTime: Duration = .seconds(1)

  /// Returns a session that has passed the tests, and opens one if necessary.
  ///
  /// An attempt that has begun may take a second for each step, even after the deadline: under load,
  /// what waits for the longest time is always about to expire, and no attempt would succeed.
  ///
  /// - Parameters:
  ///   - deadline: The time by which it must be ready.
  ///   - wakeUp: A descriptor that ends the wait when it can be read, if any.
  ///   - untilRejected: Whether a server that is rejected ends the wait.
  /// - Returns: The session, which is valid until ``lost(_:)``.
  /// - Throws: ``PostgreSQLError/unreachable``.
  func ready(
    by deadline: ContinuousClock.Instant,
    or wakeUp: Int32? = nil,
    untilRejected: Bool = false
  ) throws(PostgreSQLError) -> PostgreSQLSession {
    while true {
      switch state.step {
      case .ready:
        guard let session else { throw .unreachable }
        return session
      case .closed:
        throw .unreachable
      case .waiting where untilRejected && rejection != nil:
        throw .unreachable
      case .waiting, .uncertain:
        let isWokenUp = SocketWait.pause(until: min(pausedUntil, deadline), or: wakeUp)
        // Without a pause there is still an end.
        guard !isWokenUp, ContinuousClock.now < deadline else { throw .unreachable }
        _ = state.handle(.paused)
      case .opening:
        open(by: min(deadline, .now + Self.attemptTimeout))
      case .checking:
        check(by: Self.attemptEnd(deadline, within: Self.attemptTimeout))
      }
    }
  }

  /// Records that a statement that changes something is being sent.
  func sent() {
    _ = state.handle(.sent)
  }

  /// Records that the outcome of that statement is known.
  func settled() {
    _ = state.handle(.settled)
  }

  /// Records that the statement whose outcome is unknown is not sent again; a session in which it
  /// may be under way is closed.
  func abandoned() {
    perform(state.handle(.abandoned))
  }

  /// Closes the session, and opens another one after a pause.
  ///
  /// - Parameter error: Why the session is of no use any more.
  func lost(_ error: PostgreSQLError) {
    if error == .undetermined, let backend { unsettledBackend = backend }
    let reason =
      switch error {
      case .unreachable: "cannot connect"
      case .undetermined: "no result in time, or the connection broke"
      case .server(let state): "SQLSTATE \(state)"
      case .malformed: "an unexpected result"
      }
    lost(reason: reason)
  }

  /// Closes the session, because a test across several sessions has failed.
  ///
  /// - Parameter reason: What was found.
  func reject(_ reason: ServerRejection) {
    rejection = reason
    lost(reason: "\(reason)")
  }

  /// Closes the session for good.
  func close() {
    perform(state.handle(.ended))
  }

  /// Returns what may be tested across several sessions; `nil` unless the connection is ready.
  var current: PostgreSQLSession? {
    switch state.step {
    case .ready: session
    case .opening, .checking, .waiting, .uncertain, .closed: nil
    }
  }
}

extension PostgreSQLConnection {
  /// Returns the end of a step: the deadline, unless that is too soon or too late.
  private static func attemptEnd(
    _ deadline: ContinuousClock.Instant,
    within limit: Duration
  ) -> ContinuousClock.Instant {
    let now = ContinuousClock.now
    return min(max(deadline, now + attemptTime), now + limit)
  }

  /// Tries each host once.
  private func open(by deadline: ContinuousClock.Instant) {
    for options in configuration.parameters.hosts {
      let end = Self.attemptEnd(deadline, within: ConnectionParameters.connectTimeout)
      var message: String?
      guard let opened = try? PostgreSQLSession(options, by: end, explain: { message = $0 }) else {
        // The last attempt, which the deadline has cut short, knows less than those before.
        problem = message ?? problem ?? "no response in time"
        continue
      }
      session = opened
      _ = state.handle(.opened)
      return
    }
    lost(.unreachable)
  }

  private func check(by deadline: ContinuousClock.Instant) {
    guard let session else { return lost(.unreachable) }
    let earlierRejection = rejection
    do throws(PostgreSQLError) {
      let facts = try session.prepare(
        statementTimeout: configuration.statementTimeout,
        by: deadline
      )
      rejection = facts.rejection(
        statementTimeout: configuration.statementTimeout,
        mayRead: configuration.mayRead
      )
      if rejection == nil {
        rejection = try session.schemaVersion(by: deadline)
          .rejection(known: configuration.knownSchema)
        if configuration.mayBeUnfinished, rejection == .unfinishedCopy { rejection = nil }
      }
      if let rejection {
        // Why the connection does not come back is another reason than that of its loss.
        if rejection != earlierRejection { isReportedLost = false }
        return lost(reason: "\(rejection)")
      }
      if let backend = unsettledBackend {
        // The process does not notice that its client is gone: a new session for each attempt would
        // use up the server's connections.
        if try session.sees(waitingForStandby: backend, by: deadline) {
          return lost(reason: "a commit waits for a synchronous standby")
        }
        unsettledBackend = nil
      }
      backend = facts.backendID
      warn(facts)
    } catch {
      return lost(error)
    }
    pause.reset()
    _ = state.handle(.passed)
    if isReportedLost { configuration.report(.back) }
    isReportedLost = false
  }

  private func warn(_ facts: ServerFacts) {
    for warning in facts.warnings(hasWeakTLS: configuration.parameters.hasWeakTLS)
    where reportedWarnings.insert(warning).inserted {
      configuration.report(.warning(warning))
    }
  }

  private func lost(reason: String) {
    perform(state.handle(.lost))
    if !isReportedLost { configuration.report(.lost(reason: reason)) }
    isReportedLost = true
  }

  private func perform(_ effect: ConnectionState.Effect) {
    switch effect {
    case .pause:
      session = nil
      pausedUntil = .now + pause.next(jitter: configuration.jitter())
    case .close:
      session = nil
    case .nothing, .open, .check, .serve, .resend:
      break
    }
  }
}
