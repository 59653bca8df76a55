internal import Signals

/// A connection to a database that is opened again, and tested again, whenever it is lost.
///
/// It blocks its thread, always with a deadline. ``ConnectionState`` decides what it does next.
// Not Sendable: one thread uses it.
final class PostgreSQLConnection {
  /// The options of a connection.
  struct Configuration: Sendable {
    /// The location of the database.
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
  /// After how many milliseconds the server gives up a statement of the session.
  private var statementTimeout: Int
  private var pause = GrowingPause.reconnecting
  private var pausedUntil = ContinuousClock.now
  private var isReportedLost = false
  /// The reason that was reported last why the server cannot be used.
  private var reportedRejection: String?
  /// The server process of the last session that has passed the tests.
  private var backend: Int32?
  /// The last server process whose statement had no result; it may still wait for a standby.
  private var unsettledBackend: Int32?
  private var reportedWarnings: Set<ServerWarning> = []

  /// The state of the connection.
  private(set) var state = ConnectionState()
  /// The reason why the server was rejected at the last attempt; `nil` if it was not.
  private(set) var rejection: ServerRejection?

  /// The client library's message when no session could be opened; it contains no password.
  private(set) var problem: String?

  /// Whether a server has rejected the last attempt for a reason that waiting does not change.
  private(set) var isDenied = false

  /// The server of the last session, for the operator; before it, all of them.
  private var server: String

  /// Creates a connection that is not open yet.
  init(_ configuration: Configuration) {
    self.configuration = configuration
    statementTimeout = configuration.statementTimeout
    server = configuration.parameters.servers
  }

  /// The timeout for opening a session, and for testing one.
  private static let attemptTimeout: Duration = .seconds(5)
  /// The minimum of that timeout, however soon the deadline is.
  private static let attemptTime: Duration = .seconds(1)

  /// Returns a session that has passed the tests, and opens one if necessary.
  ///
  /// An attempt that has begun may take a second for each step, even after the deadline: under load,
  /// what waits for the longest time is always about to expire, and no attempt would succeed.
  ///
  /// - Parameters:
  ///   - deadline: The time by which it must be ready.
  ///   - wakeUp: A descriptor that ends the wait when it can be read, if any.
  /// - Returns: The session, which is valid until ``lost(_:)``.
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
      case .waiting where untilRejected && (rejection != nil || isDenied):
        throw .unreachable
      case .waiting:
        let isWokenUp = SocketWait.pause(until: min(pausedUntil, deadline), or: wakeUp)
        // Without a pause there is still an end.
        guard !isWokenUp, ContinuousClock.now < deadline else { throw .unreachable }
        handle(.paused)
      case .opening:
        open(by: min(deadline, .now + Self.attemptTimeout))
      case .checking:
        check(by: Self.attemptEnd(deadline, within: Self.attemptTimeout))
      }
    }
  }

  /// Makes the server give up the statements of the session after a time, unless it does already.
  ///
  /// - Parameter deadline: The time by which the server must respond.
  /// - Returns: Whether the session can be used; if not, it is closed.
  func limitStatements(to milliseconds: Int, by deadline: ContinuousClock.Instant) -> Bool {
    guard let session = current else { return false }
    guard milliseconds != statementTimeout else { return true }
    let query = Query("SELECT set_config('statement_timeout', $1, false)").binding(
      "\(milliseconds)"
    )
    do throws(PostgreSQLError) {
      try session.execute(query, by: deadline)
    } catch {
      lost(.unreachable)
      return false
    }
    statementTimeout = milliseconds
    return true
  }

  /// Records that a statement that changes something is being sent.
  func sent() {
    handle(.sent)
  }

  /// Records that the outcome of that statement is known.
  func settled() {
    handle(.settled)
  }

  /// Records that the statement whose outcome is unknown is not sent again; a session in which it
  /// may be under way is closed.
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

  /// Closes the session, because a test across several sessions has failed.
  func reject(_ reason: ServerRejection) {
    rejection = reason
    rejected(reason: "\(reason)")
  }

  /// Closes the session for good.
  func close() {
    handle(.ended)
  }

  /// Returns what may be tested across several sessions; `nil` unless the connection is ready.
  var current: PostgreSQLSession? {
    switch state.step {
    case .ready: session
    case .opening, .checking, .waiting, .closed: nil
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
    isDenied = false
    for options in configuration.parameters.hosts {
      let end = Self.attemptEnd(deadline, within: ConnectionParameters.connectTimeout)
      var found: SessionProblem?
      guard let opened = try? PostgreSQLSession(options, by: end, explain: { found = $0 }) else {
        // The last attempt, which the deadline has cut short, knows less than those before.
        if !isDenied { problem = found?.message ?? problem ?? "no response in time" }
        if found?.isPermanent == true { isDenied = true }
        continue
      }
      session = opened
      isDenied = false
      server = opened.server
      handle(.opened)
      return
    }
    let reason = problem ?? "cannot connect"
    if isDenied { rejected(reason: reason) } else { lost(reason: reason) }
  }

  private func check(by deadline: ContinuousClock.Instant) {
    guard let session else { return lost(.unreachable) }
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
        return rejected(reason: "\(rejection)")
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
    statementTimeout = configuration.statementTimeout
    handle(.passed)
    if isReportedLost { configuration.report(.back(server: server)) }
    isReportedLost = false
    reportedRejection = nil
  }

  private func warn(_ facts: ServerFacts) {
    for warning in facts.warnings(hasWeakTLS: configuration.parameters.hasWeakTLS)
    where reportedWarnings.insert(warning).inserted {
      configuration.report(.warning(warning))
    }
  }

  private func lost(reason: String) {
    handle(.lost)
    if !isReportedLost { configuration.report(.lost(server: server, reason: reason)) }
    isReportedLost = true
  }

  /// Closes the session, and reports why it does not come back.
  private func rejected(reason: String) {
    handle(.lost)
    if reason != reportedRejection {
      configuration.report(.rejected(server: server, reason: reason))
    }
    reportedRejection = reason
    isReportedLost = true
  }

  /// Handles an event, and closes the session if that ends its use.
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
