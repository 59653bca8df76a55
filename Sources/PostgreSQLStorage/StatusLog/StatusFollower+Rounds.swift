internal import MailingList
internal import Signals

extension StatusFollower {
  /// Executes a round if one is due, or waits for the next one.
  func turn(_ session: PostgreSQLSession) throws(PostgreSQLError) {
    let now = ContinuousClock.now
    if let end = hearingEnd, end <= now {
      hearingEnd = nil
      if !isReportedUnheard { configuration.report(.unheard) }
      isReportedUnheard = true
    }
    guard let due = schedule.due, due > now else {
      return try round(session, numbers: schedule.begin(at: now))
    }
    var end = limit(due)
    if let hearingEnd { end = min(end, hearingEnd) }
    if let confirmationsAt = questions.confirmationsAt { end = min(end, confirmationsAt) }
    var wakeUp: Int32? = inbox.wakeUp.descriptor
    while let notification = try session.notification(by: end, or: wakeUp) {
      // Further notifications are read without waiting.
      end = now
      wakeUp = nil
      guard notification.sender != session.backendID else { continue }
      schedule.isListening = true
      hearingEnd = nil
      isReportedUnheard = false
      // Any other text only proves that notifications arrive.
      if notification.payload.isEmpty { schedule.wasNotified(at: .now) }
    }
  }

  /// Numbers the pending rows, and reads the log, in one round trip.
  func round(_ session: PostgreSQLSession, numbers: Bool) throws(PostgreSQLError) {
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
    var results = try send(queries, with: messages, to: session)
    if numbers { try numbered(results.removeFirst(), messages) }
    try accept(try results.removeFirst().get(), session)
    if !ids.isEmpty { try reply(results.removeFirst(), about: ids) }
    if isAsked { try confirm(results.removeFirst(), at: now) }
    if samples { horizon.add(try results.removeFirst().get().required(0, 0), at: now) }
    if retains, let rows = try check(results.removeFirst()),
      try rows.required(0, 0, as: Int64.self) >= FollowerStatements.retentionLimit
    {
      // There may be more rows under load than a statement can delete at each interval.
      retentionDue = now
    }
    pause.reset()
  }

  /// Sends a round; its messages are sent only once, so they may be lost if its outcome is
  /// undetermined.
  private func send(
    _ queries: [Query], with messages: [StatusPayload], to session: PostgreSQLSession
  ) throws(PostgreSQLError) -> ArraySlice<Result<QueryResult, PostgreSQLError>> {
    do throws(PostgreSQLError) {
      return try session.execute(each: queries, by: .now + Self.roundTimeout)[...]
    } catch {
      if error == .unreachable { inbox.putBack(messages) }
      throw error
    }
  }

  private func numbered(
    _ result: Result<QueryResult, PostgreSQLError>, _ messages: [StatusPayload]
  ) throws(PostgreSQLError) {
    switch result {
    case .success(let result):
      let malformed: Int32 = try result.required(0, 1)
      if malformed > 0 {
        configuration.metrics.count(malformed: malformed)
        configuration.report(.malformed(count: Int(malformed)))
      }
      if let batches = try result.value(0, 0, as: Int32.self) {
        configuration.metrics.count(numbered: batches)
        wasNumbered()
        if batches + malformed >= FollowerStatements.numberLimit {
          // More rows are pending, perhaps with lower numbers than the horizon.
          horizon.reset()
          schedule.wantNumbering()
        }
      } else {
        // Another follower is numbering.
        notNumbered()
        schedule.wantNumbering()
      }
    case .failure:
      notNumbered()
      inbox.putBack(messages)
      try check(result)
    }
  }

  /// Records that this follower could not number pending rows.
  func notNumbered() {
    let isNew = stall.hasFailed(at: .now)
    if stall.delaysRows(at: .now) { horizon.reset() }
    guard isNew else { return }
    configuration.metrics.isStalled(true)
    configuration.report(.stalled)
  }

  /// Records that this follower or another one has numbered pending rows.
  private func wasNumbered() {
    guard stall.reset() else { return }
    configuration.metrics.isStalled(false)
    configuration.report(.continued)
  }

  private func accept(_ result: QueryResult, _ session: PostgreSQLSession) throws(PostgreSQLError) {
    let rows = try result.logRows(from: 1)
    newestEvent = try result.newestEvent()
    guard try enter(try result.epoch(), session) else { return schedule.wantReading() }
    guard let changes = log.accept(rows) else { return try beginAnew(session) }
    for change in changes { configuration.receive(change) }
    if let last = rows.last?.payloads.last {
      wasNumbered()
      let time = StatusPayload(rawValue: last).time
      if time >= startTime { configuration.metrics.read(time, at: .now) }
    }
    deliver(questions.reached(log.position))
    if rows.count >= FollowerStatements.rowLimit { schedule.wantReading() }
  }

  private func reply(
    _ result: Result<QueryResult, PostgreSQLError>, about ids: [ExecutionID]
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
    _ result: Result<QueryResult, PostgreSQLError>, at now: ContinuousClock.Instant
  ) throws(PostgreSQLError) {
    var found: [Int64: Timestamp] = [:]
    if let rows = try check(result) {
      for row in 0..<rows.count {
        found[try rows.required(row, 0)] = try rows.required(row, 1, as: Timestamp.self)
      }
    }
    deliver(questions.confirmed(found, at: now))
  }

  /// Returns the rows of a statement; `nil` if it failed, because a later round repeats it.
  ///
  /// - Throws: The error if the connection is unusable.
  @discardableResult
  private func check(
    _ result: Result<QueryResult, PostgreSQLError>
  ) throws(PostgreSQLError) -> QueryResult? {
    switch result {
    case .success(let rows): return rows
    case .failure(let error):
      if error.endsSession { throw error }
      return nil
    }
  }
}
