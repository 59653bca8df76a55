internal import MailingList
internal import Security
internal import Signals

/// The writer's thread, which stores everything that was queued during the last batch.
///
/// A batch costs one round trip and one commit, regardless of its size, so the cost per sign-up
/// falls under load. A single sign-up is not delayed.
// Not Sendable: only its thread uses it.
final class PostgreSQLWriter {
  /// The objects and options of a writer.
  struct Tools {
    /// The source of the tasks.
    let queue: WriterQueue
    /// The timeout of a statement with its commit.
    let timeout: Duration
    /// The scheduler on which outcomes are sent.
    let scheduler: any Scheduler
    /// The keys of mailboxes and suppressions.
    let keys: MailKeys
    /// Whether the owner of an address must confirm a sign-up.
    let optIn: OptIn
    /// The writer of the status log, for batches whose messages have no positions.
    let statusLog: PostgreSQLStatusLog
    /// Sends after a mail, or a row in place of a mail, was queued; completes at the end.
    let mails: Subject<Void, Never>
    /// The measurements of batches and changes.
    let metrics: CommitMetrics
  }

  private let connection: PostgreSQLConnection
  private let tools: Tools
  private var random = RandomPool()

  init(_ connection: PostgreSQLConnection, _ tools: Tools) {
    self.connection = connection
    self.tools = tools
  }

  /// Executes tasks until the queue returns ``WriterTask/close``.
  func run() {
    let queue = tools.queue
    while true {
      queue.wakeUp.clear()
      switch queue.next() {
      case .wait:
        connection.watch(until: queue.wakeUp)
      case .store(let deadline):
        store(until: deadline)
      case .finished(let finishers):
        tools.scheduler.schedule {
          for finisher in finishers { finisher.complete() }
        }
      case .close:
        connection.close()
        let closers = queue.finishClosing()
        tools.scheduler.schedule { [mails = tools.mails] in
          mails.complete()
          for closer in closers { closer.complete() }
        }
        return
      }
    }
  }

  /// Stores queued work after making the connection ready.
  private func store(until deadline: ContinuousClock.Instant) {
    let queue = tools.queue
    guard (try? connection.ready(by: deadline, or: queue.wakeUp.descriptor)) != nil else {
      let error = connection.storeError
      // The report of the loss says only that the server is unreachable.
      if error != .unreachable {
        let probes = queue.setConnectionError(error)
        tools.scheduler.schedule { for probe in probes { probe.fail(error) } }
      }
      let expired = queue.expire(.now)
      guard !expired.isEmpty else { return }
      queue.record(error)
      tools.scheduler.schedule { expired.fail(error) }
      return
    }
    let (batch, expired, error) = queue.take(at: .now)
    if !expired.isEmpty { tools.scheduler.schedule { expired.fail(error) } }
    if !batch.signUps.isEmpty { store(batch.signUps, batch.probes) }
    for (index, change) in batch.changes.enumerated() {
      // A sign-up whose wait has ended precedes further changes.
      let next = queue.oldestDeadline
      if next.map({ $0 > .now }) ?? true, store(change, before: next) { continue }
      for rest in batch.changes[index...].reversed() { queue.putBack(rest) }
      break
    }
    if batch.signUps.isEmpty, !batch.probes.isEmpty { probe(batch.probes) }
  }

  // MARK: Sign-ups

  private func store(_ signUps: [QueuedSignUp], _ probes: [Observer<Never, StoreError>]) {
    let batch = SignUpBatch(signUps, optIn: tools.optIn, keys: tools.keys, random: &random)
    let begin = ContinuousClock.now
    let time = StatementTime(tools.timeout, at: begin, before: signUps.first?.deadline)
    let writer = SignUpWriter(
      connection: connection, deadline: time.end, endsAt: { [queue = tools.queue] in queue.endsAt },
      statementTimeout: time.milliseconds)
    let outcomes = writer.store(batch)
    let (all, error) = (outcomes.all, outcomes.storeError)
    if outcomes.mayHaveMessages { tools.statusLog.committed() }
    // One measurement, even if the batch was divided or repeated.
    if outcomes.storedCount > 0 { tools.metrics.record(outcomes.storedCount, in: .now - begin) }
    tools.queue.record(error)
    tools.scheduler.schedule { [optIn = tools.optIn, mails = tools.mails] in
      for (member, error) in all { member.end(error) }
      for probe in probes {
        if let error { probe.fail(error) } else { probe.complete() }
      }
      if optIn == .double { mails.send() }
    }
  }

  // MARK: Changes

  /// Makes a change; returns `false` if the connection was lost and nothing was stored.
  ///
  /// - Parameter next: The deadline of the oldest sign-up that is waiting for the end of the
  ///   change; `nil` if there is none.
  private func store(_ change: QueuedChange, before next: ContinuousClock.Instant?) -> Bool {
    let begin = ContinuousClock.now
    let time = StatementTime(tools.timeout, at: begin, before: next)
    guard connection.limitStatements(to: time.milliseconds, by: time.end),
      let session = connection.current
    else { return false }
    let list = PostgreSQLListSession(session, by: time.end)
    let writer = ListWriter(list, keys: tools.keys, optIn: tools.optIn, random: random)
    connection.sent()
    do throws(StoreError) {
      let send = try change.run(writer)
      connection.settled()
      tools.metrics.record(1, in: .now - begin)
      tools.queue.record(nil)
      tools.scheduler.schedule { [mailsMayBeDue = writer.mailsMayBeDue, mails = tools.mails] in
        send()
        if mailsMayBeDue { mails.send() }
      }
      return true
    } catch {
      if let cause = list.failure { return fail(change, cause) }
      connection.settled()
      tools.scheduler.schedule { change.fail(error) }
      return true
    }
  }

  private func fail(_ change: QueuedChange, _ error: PostgreSQLError) -> Bool {
    let isStoredNever: Bool
    switch error {
    case .server(let state):
      connection.settled()
      isStoredNever = state.endsConnection
      if state.endsConnection { connection.lost(error) }
    case .unreachable:
      connection.settled()
      connection.lost(error)
      isStoredNever = true
    case .undetermined, .malformed:
      connection.lost(error)
      connection.abandoned()
      isStoredNever = false
    }
    if isStoredNever, change.deadline > .now { return false }
    let error = StoreError(error)
    tools.scheduler.schedule { change.fail(error) }
    return true
  }

  // MARK: Probes

  private func probe(_ probes: [Observer<Never, StoreError>]) {
    let error = probe()
    tools.queue.record(error)
    tools.scheduler.schedule {
      for probe in probes {
        if let error { probe.fail(error) } else { probe.complete() }
      }
    }
  }

  /// Writes a row that nothing reads; returns the error.
  private func probe() -> StoreError? {
    let time = StatementTime(tools.timeout, at: .now, before: tools.queue.oldestDeadline)
    guard connection.limitStatements(to: time.milliseconds, by: time.end),
      let session = connection.current
    else { return connection.storeError }
    do throws(PostgreSQLError) {
      let query = Query("UPDATE enlist.store_probe SET at = now() WHERE id = 1")
      try session.execute(query, by: time.end)
      return nil
    } catch {
      if error.endsSession { connection.lost(error) }
      return StoreError(error)
    }
  }
}
