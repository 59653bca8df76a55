internal import Signals

/// A connection to a database that is opened and tested again whenever it is lost.
///
/// It blocks its thread, always with a deadline. ``ConnectionState`` decides the next step.
// Not Sendable: one thread uses it.
final class PostgreSQLConnection {
  /// The options of a connection.
  struct Configuration: Sendable {
    /// The location of the database.
    let parameters: ConnectionParameters
    /// The server's timeout of a statement in milliseconds.
    var statementTimeout = 4000
    /// The latest version of the schema that the program knows.
    var knownSchema = SchemaMigrator().latest
    /// Whether a read-only server is accepted.
    var mayRead = false
    /// Whether a database with an incomplete copy is accepted.
    var mayBeUnfinished = false
    /// Reports changes of the connection, on its thread.
    var report: @Sendable (ConnectionReport) -> Void = { _ in }
    /// Returns the jitter of a pause, 0 to 1.
    var jitter: @Sendable () -> Double = { .random(in: 0...1) }
  }

  private let configuration: Configuration
  private var session: PostgreSQLSession?
  /// The server's timeout of the session's statements in milliseconds.
  private var statementTimeout: Int
  private var pause = GrowingPause.reconnecting
  private var pausedUntil = ContinuousClock.now
  private var isReportedLost = false
  /// The last reported reason why the server cannot be used.
  private var reportedRejection: String?
  /// The process id of the last session that passed the tests.
  private var backend: Int32?
  /// The process id of the last session whose statement had no result; the process may still be
  /// waiting for a standby.
  private var unsettledBackend: Int32?
  private var reportedWarnings: Set<ServerWarning> = []

  private(set) var state = ConnectionState()
  /// The reason why the last attempt rejected the server; `nil` if it did not.
  private(set) var rejection: ServerRejection?

  /// The reason why there is no session; it contains no password.
  private(set) var problem: String?

  /// Whether the server has responded to the last attempt to connect with an error.
  private(set) var hasResponded = false

  /// Whether the last attempt was rejected for a reason that waiting cannot remove.
  private(set) var isDenied = false

  /// The server of the last session, for the operator; all servers before the first session.
  private var server: String

  /// Creates a connection, which ``ready(by:or:untilRejected:)`` opens.
  init(_ configuration: Configuration) {
    self.configuration = configuration
    statementTimeout = configuration.statementTimeout
    server = configuration.parameters.servers
  }

  /// The timeout of opening a session, and of testing one.
  private static let attemptTimeout: Duration = .seconds(5)
  /// The minimum time for each host and for the tests, regardless of the deadline.
  private static let attemptTime: Duration = .seconds(1)

  /// Returns a session that has passed the tests; opens one if necessary.
  ///
  /// Each step of an attempt has at least a second, even after the deadline: under load, the oldest
  /// work is always about to expire, and no attempt would succeed.
  ///
  /// - Parameters:
  ///   - wakeUp: A descriptor that ends the wait as soon as it can be read.
  ///   - untilRejected: Whether the function throws when the server is rejected or rejects the
  ///     connection, instead of trying again.
  /// - Returns: The session, which is valid until ``lost(_:)``.
  func ready(
    by deadline: ContinuousClock.Instant, or wakeUp: Int32? = nil, untilRejected: Bool = false
  ) throws(PostgreSQLError) -> PostgreSQLSession {
    while true {
      switch state.step {
      case .ready:
        guard let session else { throw .unreachable }
        return session
      case .closed:
        throw .unreachable
      case .waiting where untilRejected && (rejection != nil || isDenied):
        throw .unreachable
      case .waiting:
        let isWokenUp = SocketWait.pause(until: min(pausedUntil, deadline), or: wakeUp)
        // Required even if the pause has no length.
        guard !isWokenUp, ContinuousClock.now < deadline else { throw .unreachable }
        handle(.paused)
      case .opening:
        open(by: min(deadline, .now + Self.attemptTimeout))
      case .checking:
        check(by: Self.attemptEnd(deadline, within: Self.attemptTimeout))
      }
    }
  }

  /// Sets the server's timeout of the session's statements, unless it has that value.
  ///
  /// Returns whether the session can be used; otherwise it has been closed.
  func limitStatements(to milliseconds: Int, by deadline: ContinuousClock.Instant) -> Bool {
    guard let session = current else { return false }
    guard milliseconds != statementTimeout else { return true }
    let query = Query("SELECT set_config('statement_timeout', $1, false)").binding(
      "\(milliseconds)")
    do throws(PostgreSQLError) {
      try session.execute(query, by: deadline)
    } catch {
      lost(.unreachable)
      return false
    }
    statementTimeout = milliseconds
    return true
  }

  /// Records that a statement that changes data is being sent.
  func sent() {
    handle(.sent)
  }

  /// Records that the outcome of the sent statement is known.
  func settled() {
    handle(.settled)
  }

  /// Records that the statement with an undetermined outcome is not sent again; closes a session
  /// that may still be executing it.
  func abandoned() {
    handle(.abandoned)
  }

  /// Closes the session, and opens another one after a pause.
  func lost(_ error: PostgreSQLError) {
    if error == .undetermined, let backend { unsettledBackend = backend }
    let endState = session?.endState.map { "SQLSTATE \($0)" }
    let reason =
      switch error {
      case .unreachable: endState ?? "the connection broke"
      case .undetermined: endState ?? "no result in time, or the connection broke"
      case .server(let state): "SQLSTATE \(state)"
      case .malformed: "an unexpected result"
      }
    lost(reason: reason)
  }

  /// Closes the session and rejects the server, after a migration or a test of several sessions.
  func reject(_ reason: ServerRejection) {
    rejection = reason
    rejected(reason: "\(reason)")
  }

  /// Closes the session permanently.
  func close() {
    handle(.ended)
  }

  /// The open session; `nil` unless the connection is ready.
  var current: PostgreSQLSession? {
    switch state.step {
    case .ready: session
    case .opening, .checking, .waiting, .closed: nil
    }
  }
}

extension PostgreSQLConnection {
  /// Returns the end of a step: the deadline, but neither sooner than the minimum time nor later
  /// than the limit.
  private static func attemptEnd(
    _ deadline: ContinuousClock.Instant, within limit: Duration
  ) -> ContinuousClock.Instant {
    let now = ContinuousClock.now
    return min(max(deadline, now + attemptTime), now + limit)
  }

  /// Tries to connect to each host once.
  private func open(by deadline: ContinuousClock.Instant) {
    isDenied = false
    hasResponded = false
    rejection = nil
    var readOnlyCount = 0
    for options in configuration.parameters.hosts {
      let end = Self.attemptEnd(deadline, within: ConnectionParameters.connectTimeout)
      var found: SessionProblem?
      guard let opened = try? PostgreSQLSession(options, by: end, explain: { found = $0 }) else {
        if found?.isReadOnly == true {
          readOnlyCount += 1
          continue
        }
        // An attempt that the deadline has ended has no message; an earlier one remains.
        if !isDenied { problem = found?.message ?? problem ?? "no response in time" }
        if found?.isPermanent == true { isDenied = true }
        hasResponded = found?.isResponse ?? hasResponded
        continue
      }
      session = opened
      isDenied = false
      hasResponded = false
      problem = nil
      server = opened.server
      handle(.opened)
      return
    }
    // A standby may become the primary while another server is away.
    if readOnlyCount == configuration.parameters.hosts.count { return reject(.readOnly) }
    let reason = problem ?? "cannot connect"
    if isDenied { rejected(reason: reason) } else { lost(reason: reason) }
  }

  private func check(by deadline: ContinuousClock.Instant) {
    guard let session else { return lost(.unreachable) }
    do throws(PostgreSQLError) {
      let facts = try session.prepare(
        statementTimeout: configuration.statementTimeout, by: deadline)
      rejection = facts.rejection(
        statementTimeout: configuration.statementTimeout, mayRead: configuration.mayRead)
      if rejection == nil {
        let schema = try session.schemaVersion(by: deadline)
        rejection = schema.rejection(known: configuration.knownSchema)
        if rejection == nil, schema.number > 0, !configuration.mayRead {
          rejection = try continueNumbers(of: session, by: deadline)
        }
        if configuration.mayBeUnfinished, rejection == .unfinishedCopy { rejection = nil }
      }
      if let rejection {
        return rejected(reason: "\(rejection)")
      }
      if let backend = unsettledBackend {
        // The process does not notice the loss of its client. If each attempt sent a statement in a
        // new session, the waiting sessions would use up the server's connections.
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
    statementTimeout = configuration.statementTimeout
    handle(.passed)
    if isReportedLost { configuration.report(.back(server: server)) }
    isReportedLost = false
    reportedRejection = nil
  }

  private func continueNumbers(
    of session: PostgreSQLSession, by deadline: ContinuousClock.Instant
  ) throws(PostgreSQLError) -> ServerRejection? {
    do throws(PostgreSQLError) {
      _ = try session.continueNumbers(by: deadline)
      return nil
    } catch {
      if case .server(let state) = error, state == .insufficientPrivilege {
        return .sequencesBehind
      }
      throw error
    }
  }

  private func warn(_ facts: ServerFacts) {
    for warning in facts.warnings(hasWeakTLS: configuration.parameters.hasWeakTLS)
    where reportedWarnings.insert(warning).inserted {
      configuration.report(.warning(warning))
    }
  }

  private func lost(reason: String) {
    problem = reason
    handle(.lost)
    if !isReportedLost { configuration.report(.lost(server: server, reason: reason)) }
    isReportedLost = true
  }

  /// Closes the session, and reports the reason why the server cannot be used.
  private func rejected(reason: String) {
    handle(.lost)
    if reason != reportedRejection {
      configuration.report(.rejected(server: server, reason: reason))
    }
    reportedRejection = reason
    isReportedLost = true
  }

  /// Changes the state after an event, and closes a session that it makes unusable.
  private func handle(_ event: ConnectionState.Event) {
    let step = state.step
    state.handle(event)
    guard state.step != step else { return }
    switch state.step {
    case .opening, .checking, .ready: break
    case .waiting:
      session = nil
      pausedUntil = .now + pause.next(jitter: configuration.jitter())
    case .closed: session = nil
    }
  }
}

extension GrowingPause {
  /// The pauses between attempts to connect.
  static let reconnecting = GrowingPause(from: .milliseconds(50), limit: .seconds(2))
}
