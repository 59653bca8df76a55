internal import MailingList
internal import Security
internal import Signals

/// The thread that numbers committed messages and reads the log.
///
/// ```text
/// writer ── committed ──► FollowerInbox ──► StatusFollower ◄──► server
/// service ── questions ─────────┘                │
///                                                └──► changes and replies
/// ```
///
/// It works in rounds, each of which is one pipeline. ``RoundSchedule`` determines the time of a
/// round, ``FollowedLog`` the changes in the rows, and ``FollowerQuestions`` the replies.
// Not Sendable: one thread uses it.
final class StatusFollower {
  /// The options of a follower.
  struct Configuration: Sendable {
    /// The number of the newest messages to begin with, which every follower retains; at least 1.
    var history: Int
    /// Receives the changes of the log, on the follower's thread.
    var receive: @Sendable (SharedStatusChange) -> Void
    /// The scheduler on which replies are sent.
    var deliverOn: any Scheduler
    /// Whether notifications arrive on the connection; `nil` if this was not tested.
    var hears: Bool?
    var metrics = FollowerMetrics()
    /// Called with reports for the operator, on the follower's thread.
    var report: @Sendable (StoreReport) -> Void = { _ in }
    /// The interval at which old rows are deleted.
    var retentionInterval: Duration = .seconds(60)
    /// Whether the follower listens for notifications; tests disable it.
    var listens = true
  }

  /// The timeout of a round.
  static let roundTimeout: Duration = .seconds(2)
  /// The minimum time of an attempt to connect.
  private static let attemptTime: Duration = .milliseconds(500)
  /// The time in which a notification must arrive.
  private static let hearingTimeout: Duration = .seconds(1)

  let connection: PostgreSQLConnection
  let parameters: ConnectionParameters
  let inbox: FollowerInbox
  let configuration: Configuration
  var session: PostgreSQLSession?
  var log = FollowedLog()
  /// The mark of the newest event that was read.
  var newestEvent: String?
  var schedule = RoundSchedule()
  var horizon = PendingHorizon()
  var questions = FollowerQuestions()
  var stall = NumberingStall()
  /// The end of the pause after a failure.
  var pausedUntil = ContinuousClock.now
  var pause = GrowingPause.reconnecting
  var retentionDue: ContinuousClock.Instant
  /// The time of the start; older messages are history, whose lag is not measured.
  let startTime = Timestamp.now
  /// The time by which a notification must arrive; `nil` if none is expected.
  var hearingEnd: ContinuousClock.Instant?
  var isReportedUnheard = false
  /// Whether notifications arrive on the first session; `nil` if this was not tested, and for later
  /// sessions.
  private var hears: Bool?

  init(
    connection: PostgreSQLConnection, parameters: ConnectionParameters, inbox: FollowerInbox,
    configuration: Configuration
  ) {
    self.connection = connection
    self.parameters = parameters
    self.inbox = inbox
    self.configuration = configuration
    hears = configuration.hears
    // The test at startup has already reported this.
    isReportedUnheard = configuration.hears == false
    // At a random time, so that followers do not delete the same rows concurrently.
    retentionDue = .now + configuration.retentionInterval * Double.random(in: 0...1)
  }

  /// Follows the log until the inbox is stopped.
  func run() {
    while takeQuestions() {
      do throws(PostgreSQLError) {
        guard let session = try openSession() else { continue }
        try turn(session)
      } catch {
        fail(error)
      }
    }
    // The last messages of this service should not wait for the next round of another one.
    if let session { try? round(session, numbers: true) }
    deliver(questions.close())
    connection.close()
  }

  private func takeQuestions() -> Bool {
    let now = ContinuousClock.now
    let content = inbox.take()
    deliver(questions.add(content, position: log.epoch == nil ? -1 : log.position, at: now))
    deliver(questions.expired(at: now))
    if content.hasNews { schedule.wantNumbering() }
    if !content.positions.isEmpty || questions.needsRound { schedule.wantReading() }
    if let due = questions.confirmationsAt, due <= now { schedule.wantReading() }
    return !content.isStopped
  }

  func deliver(_ replies: [FollowerQuestions.Reply]) {
    guard !replies.isEmpty else { return }
    configuration.deliverOn.schedule { for reply in replies { reply() } }
  }

  private func fail(_ error: PostgreSQLError) {
    // A round without a result may be waiting for a lock of the log; after another error, nothing
    // is known about the rows.
    if error == .undetermined { notNumbered() } else { stall.pause() }
    session = nil
    connection.lost(error)
    pausedUntil = .now + pause.next(jitter: .random(in: 0...1))
  }

  /// Returns the earliest of a time, the deadline of a question, and the end of the maximum wait.
  func limit(_ time: ContinuousClock.Instant) -> ContinuousClock.Instant {
    min(time, .now + inbox.wakeUp.longestWait, questions.deadline ?? time)
  }
}

// MARK: - Connecting

extension StatusFollower {
  /// Returns the session; if it is new, after reading the changes since the last one.
  ///
  /// The result is `nil` if there is no session yet.
  private func openSession() throws(PostgreSQLError) -> PostgreSQLSession? {
    if let session { return session }
    let now = ContinuousClock.now
    if now < pausedUntil {
      _ = SocketWait.pause(until: limit(pausedUntil), or: inbox.wakeUp.descriptor)
      return nil
    }
    // An attempt has a minimum time, regardless of the deadlines of questions.
    let deadline = max(limit(now + Self.roundTimeout), now + Self.attemptTime)
    guard let opened = try? connection.ready(by: deadline, or: inbox.wakeUp.descriptor) else {
      return nil
    }
    try resume(opened)
    session = opened
    return opened
  }

  /// Reads the changes since the last session, after listening for later ones, so that none is
  /// lost.
  private func resume(_ session: PostgreSQLSession) throws(PostgreSQLError) {
    let deadline = ContinuousClock.now + Self.roundTimeout
    schedule = RoundSchedule()
    horizon.reset()
    if configuration.listens { try session.execute(FollowerStatements.listen, by: deadline) }
    let results = try session.execute(
      each: [
        FollowerStatements.read(after: log.lastRow.map { $0.last - 1 } ?? .max),
        FollowerStatements.oldest, FollowerStatements.newest,
        FollowerStatements.hasEvent(newestEvent ?? "0 "),
      ],
      by: deadline
    )
    let read = try results[0].get()
    let epoch = try read.epoch()
    let oldest = try results[1].get().logRows().first
    let newest = try results[2].get().logRows().first
    let hasEvent = try results[3].get().required(0, 0, as: Int64.self) > 0
    if log.epoch == nil {
      begin(epoch, newest, oldest, history: Int64(configuration.history), nil)
    } else if newestEvent != nil, !hasEvent {
      try beginAnew(session)
    } else {
      switch log.finding(try read.logRows(from: 1), oldest: oldest) {
      case .continues:
        try enter(epoch, session)
      case .truncated:
        begin(epoch, newest, oldest, history: Int64(configuration.history), .expired)
      case .lost:
        try beginAnew(session)
      }
    }
    newestEvent = try read.newestEvent()
    checkHearing(by: deadline)
  }

  private func begin(
    _ epoch: String, _ newest: LogRow?, _ oldest: LogRow?, history: Int64,
    _ reason: SharedStatusChange.Reason?
  ) {
    let change = log.begin(
      epoch: epoch, newest: newest, oldest: oldest, history: history, reason: reason)
    if let change { configuration.receive(change) }
  }

  /// Enters an epoch that was read, which another follower may have added; returns `false` if a new
  /// one has begun instead.
  @discardableResult
  func enter(_ epoch: String, _ session: PostgreSQLSession) throws(PostgreSQLError) -> Bool {
    guard epoch != log.epoch else { return true }
    // A previous epoch is that of a restored backup, in which positions are assigned again.
    if log.isPast(epoch) {
      try beginAnew(session)
      return false
    }
    configuration.receive(log.change(to: epoch))
    return true
  }

  /// Begins a new epoch at the end of the log, because the server has lost messages.
  func beginAnew(_ session: PostgreSQLSession) throws(PostgreSQLError) {
    let deadline = ContinuousClock.now + Self.roundTimeout
    try session.execute(script: FollowerStatements.beginEpoch, by: deadline)
    try session.execute(
      FollowerStatements.addEpoch(RandomName.make(), after: log.knownEpochs), by: deadline)
    try session.execute(Query("COMMIT"), by: deadline)
    let results = try session.execute(
      each: [FollowerStatements.read(after: .max), FollowerStatements.newest], by: deadline)
    let added = try results[0].get().epoch()
    let newest = try results[1].get().logRows().first
    begin(added, newest, nil, history: 0, .epoch)
  }

  /// Sends a notification through another connection, to test whether it arrives.
  private func checkHearing(by deadline: ContinuousClock.Instant) {
    if let hears {
      schedule.isListening = hears
      self.hears = nil
      return
    }
    hearingEnd = .now + Self.hearingTimeout
    guard configuration.listens else { return }
    for host in parameters.hosts {
      guard let sender = try? PostgreSQLSession(host, by: deadline) else { continue }
      if (try? sender.execute(FollowerStatements.notify("listen"), by: deadline)) != nil { return }
    }
  }
}
