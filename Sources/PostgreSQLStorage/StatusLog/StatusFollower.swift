internal import Glibc
internal import MailingList
internal import Signals

/// The thread that numbers committed messages, and reads the log after its last position.
///
/// ```text
/// writer ── committed ──► FollowerInbox ──► StatusFollower ◄──► server
/// service ── questions ─────────┘                │
///                                                └──► changes and replies
/// ```
///
/// It works in rounds, each one pipeline. ``RoundSchedule`` says when, ``FollowedLog`` what the rows
/// mean, and ``FollowerQuestions`` who is told.
// Not Sendable: one thread uses it.
final class StatusFollower {
  /// What a follower needs.
  struct Configuration: Sendable {
    /// The number of the newest messages to begin with, and that every follower keeps; at least 1.
    var history: Int
    /// Receives the changes of the log; called on the follower's thread.
    var receive: @Sendable (SharedStatusChange) -> Void
    /// The scheduler on which questions are answered.
    var deliverOn: any Scheduler
    /// Reports changes; called on the follower's thread.
    var report: @Sendable (ConnectionReport) -> Void = { _ in }
    /// Notifies the followers of a text through another connection; `nil` opens one for it.
    var notify: (@Sendable (String) -> Void)?
    /// How often old rows are deleted.
    var retentionInterval: Duration = .seconds(60)
    /// Whether notifications are listened to; tests turn it off.
    var listens = true
  }

  /// The time limit of a round.
  static let roundTimeout: Duration = .seconds(2)
  /// The time within which a notification must be heard.
  private static let hearingTimeout: Duration = .seconds(1)

  private let connection: PostgreSQLConnection
  private let parameters: ConnectionParameters
  private let inbox: FollowerInbox
  private let configuration: Configuration
  private var session: PostgreSQLSession?
  private var log = FollowedLog()
  private var schedule = RoundSchedule()
  private var horizon = PendingHorizon()
  private var questions = FollowerQuestions()
  /// The time before which nothing is sent after a failure.
  private var pausedUntil = ContinuousClock.now
  private var pause = ReconnectPause()
  private var retentionDue: ContinuousClock.Instant
  /// The end of the time within which a notification must be heard; `nil` if it is over.
  private var hearingEnd: ContinuousClock.Instant?
  private var isReportedPolling = false

  /// Creates a follower that has read nothing.
  ///
  /// - Parameters:
  ///   - connection: The follower's own connection, not open yet.
  ///   - parameters: Where the database is.
  ///   - inbox: What other threads ask.
  ///   - configuration: What it needs.
  init(
    connection: PostgreSQLConnection,
    parameters: ConnectionParameters,
    inbox: FollowerInbox,
    configuration: Configuration
  ) {
    self.connection = connection
    self.parameters = parameters
    self.inbox = inbox
    self.configuration = configuration
    // At random, so that the followers do not delete the same rows at the same time.
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
    // The last messages of this service need not wait for another one.
    if let session { try? round(session, numbers: true) }
    deliver(questions.close())
    connection.close()
  }

  /// - Returns: Whether the follower goes on.
  private func takeQuestions() -> Bool {
    let now = ContinuousClock.now
    let content = inbox.take()
    deliver(questions.add(content, position: log.epoch == nil ? -1 : log.position, at: now))
    deliver(questions.expired(at: now))
    if content.hasCommitted || !content.messages.isEmpty { schedule.wantNumbering() }
    if !content.positions.isEmpty || questions.needsRound { schedule.wantReading() }
    if let due = questions.confirmationsAt, due <= now { schedule.wantReading() }
    return !content.isStopped
  }

  private func deliver(_ replies: [FollowerQuestions.Reply]) {
    guard !replies.isEmpty else { return }
    configuration.deliverOn.schedule { for reply in replies { reply() } }
  }

  private func fail(_ error: PostgreSQLError) {
    session = nil
    connection.lost(error)
    pausedUntil = .now + pause.next(jitter: .random(in: 0...1))
  }

  /// Returns the earlier of a time and the time at which a question is due.
  private func limit(_ time: ContinuousClock.Instant) -> ContinuousClock.Instant {
    min(time, questions.deadline ?? time)
  }
}

// MARK: - Connecting

extension StatusFollower {
  /// Returns the session, after reading what happened before it was opened.
  ///
  /// - Returns: `nil` if there is none yet.
  private func openSession() throws(PostgreSQLError) -> PostgreSQLSession? {
    if let session { return session }
    let now = ContinuousClock.now
    if now < pausedUntil {
      _ = SocketWait.pause(until: limit(pausedUntil), or: inbox.wakeUp)
      return nil
    }
    guard
      let opened = try? connection.ready(by: limit(now + Self.roundTimeout), or: inbox.wakeUp)
    else { return nil }
    try resume(opened)
    session = opened
    return opened
  }

  /// Listens first, and reads then, so that nothing falls between the two.
  private func resume(_ session: PostgreSQLSession) throws(PostgreSQLError) {
    let deadline = ContinuousClock.now + Self.roundTimeout
    schedule = RoundSchedule()
    horizon.reset()
    if configuration.listens { try session.execute(FollowerStatements.listen, by: deadline) }
    let results = try session.execute(
      each: [
        FollowerStatements.read(after: (log.lastRow?.last ?? 1) - 1),
        FollowerStatements.oldest, FollowerStatements.newest,
      ],
      by: deadline
    )
    let read = try results[0].get()
    let epoch = try read.epoch()
    let oldest = try results[1].get().logRows().first
    let newest = try results[2].get().logRows().first
    if log.epoch == nil {
      begin(epoch, newest, oldest, history: Int64(configuration.history), nil)
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
    try hear(by: deadline)
  }

  private func begin(
    _ epoch: String,
    _ newest: LogRow?,
    _ oldest: LogRow?,
    history: Int64,
    _ reason: SharedStatusChange.Reason?
  ) {
    let change = log.begin(
      epoch: epoch,
      newest: newest,
      oldest: oldest,
      history: history,
      reason: reason
    )
    if let change { configuration.receive(change) }
  }

  /// Enters the epoch that was read, which another follower may have added.
  private func enter(_ epoch: String, _ session: PostgreSQLSession) throws(PostgreSQLError) {
    guard epoch != log.epoch else { return }
    // An epoch before this one is that of a backup, whose positions will be given again.
    if log.isPast(epoch) { return try beginAnew(session) }
    configuration.receive(log.change(to: epoch))
  }

  /// Begins a new epoch at the end of the log, because the server has lost messages.
  private func beginAnew(_ session: PostgreSQLSession) throws(PostgreSQLError) {
    let deadline = ContinuousClock.now + Self.roundTimeout
    try session.execute(script: FollowerStatements.beginEpoch, by: deadline)
    let alphabet = Array("abcdefghijklmnopqrstuvwxyz0123456789")
    let epoch = String((0..<8).map { _ in alphabet[Int.random(in: 0..<alphabet.count)] })
    try session.execute(
      FollowerStatements.addEpoch(epoch, after: log.knownEpochs),
      by: deadline
    )
    try session.execute(Query("COMMIT"), by: deadline)
    let results = try session.execute(
      each: [FollowerStatements.read(after: .max), FollowerStatements.newest],
      by: deadline
    )
    let added = try results[0].get().epoch()
    let newest = try results[1].get().logRows().first
    begin(added, newest, nil, history: 0, .epoch)
  }

  /// Sends a notification through another connection, to hear whether notifications arrive.
  private func hear(by deadline: ContinuousClock.Instant) throws(PostgreSQLError) {
    hearingEnd = .now + Self.hearingTimeout
    guard configuration.listens else { return }
    if let notify = configuration.notify { return notify("listen") }
    for host in parameters.hosts {
      guard let sender = try? PostgreSQLSession(host, by: deadline) else { continue }
      if (try? sender.execute(FollowerStatements.notify("listen"), by: deadline)) != nil { return }
    }
  }
}

// MARK: - Rounds

extension StatusFollower {
  /// Waits for what is due next, or does it.
  private func turn(_ session: PostgreSQLSession) throws(PostgreSQLError) {
    let now = ContinuousClock.now
    if let end = hearingEnd, end <= now {
      hearingEnd = nil
      if !isReportedPolling { configuration.report(.polling) }
      isReportedPolling = true
    }
    guard let due = schedule.due, due > now else {
      return try round(session, numbers: schedule.begin(at: now))
    }
    var end = limit(due)
    if let hearingEnd { end = min(end, hearingEnd) }
    if let confirmationsAt = questions.confirmationsAt { end = min(end, confirmationsAt) }
    var wakeUp: Int32? = inbox.wakeUp
    while let notification = try session.notification(by: end, or: wakeUp) {
      // The others are read without waiting.
      end = now
      wakeUp = nil
      guard notification.sender != session.backendID else { continue }
      schedule.isListening = true
      hearingEnd = nil
      isReportedPolling = false
      schedule.wasNotified(at: .now)
    }
  }

  /// Numbers what is pending, and reads what was numbered, in one round trip.
  private func round(
    _ session: PostgreSQLSession,
    numbers: Bool
  ) throws(PostgreSQLError) {
    let now = ContinuousClock.now
    var queries: [Query] = []
    var messages: [StatusPayload] = []
    if numbers {
      messages = inbox.takeMessages()
      queries.append(FollowerStatements.number(messages, since: horizon.since(at: now)))
    }
    queries.append(FollowerStatements.read(after: log.position))
    let ids = questions.ids
    if !ids.isEmpty { queries.append(FollowerStatements.stored(ids)) }
    let isAsked = questions.confirmationsAt.map { $0 <= now } ?? false
    let subscribers = isAsked ? questions.subscribers : []
    if isAsked { queries.append(FollowerStatements.confirmations(subscribers)) }
    let samples = horizon.needsSample(at: now)
    if samples { queries.append(FollowerStatements.highestPending) }
    let retains = retentionDue <= now
    if retains {
      queries.append(FollowerStatements.retain(Int64(configuration.history) * 2))
      retentionDue = now + configuration.retentionInterval
    }
    // Messages are sent once, so they are lost with a round of which nothing is known.
    var results = try session.execute(each: queries, by: now + Self.roundTimeout)[...]
    if numbers { try numbered(results.removeFirst(), messages) }
    try accept(try results.removeFirst().get(), session)
    if !ids.isEmpty { try answer(results.removeFirst(), about: ids) }
    if isAsked { try confirm(results.removeFirst(), at: now) }
    if samples { horizon.add(try results.removeFirst().get().required(0, 0), at: now) }
    if retains { try check(results.removeFirst()) }
    pause.reset()
  }

  private func numbered(
    _ result: Result<QueryResult, PostgreSQLError>,
    _ messages: [StatusPayload]
  ) throws(PostgreSQLError) {
    switch result {
    case .success(let result):
      // Null: another follower is numbering.
      if try result.value(0, 0, as: Int32.self) == nil { schedule.wantNumbering() }
    case .failure:
      inbox.putBack(messages)
      try check(result)
    }
  }

  private func accept(
    _ result: QueryResult,
    _ session: PostgreSQLSession
  ) throws(PostgreSQLError) {
    try enter(try result.epoch(), session)
    let rows = try result.logRows(from: 1)
    guard let changes = log.accept(rows) else { return try beginAnew(session) }
    for change in changes { configuration.receive(change) }
    deliver(questions.reached(log.position))
    if rows.count >= FollowerStatements.rowLimit { schedule.wantReading() }
  }

  private func answer(
    _ result: Result<QueryResult, PostgreSQLError>,
    about ids: [ExecutionID]
  ) throws(PostgreSQLError) {
    guard let rows = try check(result) else { return }
    var found: Set<ExecutionID> = []
    for row in 0..<rows.count {
      if let id = ExecutionID(bytes: try rows.required(row, 0, as: [UInt8].self)) {
        found.insert(id)
      }
    }
    deliver(questions.lookedUp(found, of: Set(ids)))
  }

  private func confirm(
    _ result: Result<QueryResult, PostgreSQLError>,
    at now: ContinuousClock.Instant
  ) throws(PostgreSQLError) {
    var found: [Int64: Timestamp] = [:]
    if let rows = try check(result) {
      for row in 0..<rows.count {
        found[try rows.required(row, 0)] = try rows.required(row, 1, as: Timestamp.self)
      }
    }
    deliver(questions.confirmed(found, at: now))
  }

  /// Returns the rows of a statement that may fail without harm; it is repeated later.
  ///
  /// - Throws: The error if the connection is of no use any more.
  @discardableResult
  private func check(
    _ result: Result<QueryResult, PostgreSQLError>
  ) throws(PostgreSQLError) -> QueryResult? {
    switch result {
    case .success(let rows): return rows
    case .failure(let error):
      switch error {
      case .server(let state) where !state.endsConnection: return nil
      case .server, .unreachable, .undetermined, .malformed: throw error
      }
    }
  }
}
