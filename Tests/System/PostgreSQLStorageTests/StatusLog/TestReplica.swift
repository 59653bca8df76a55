import Signals
import MailingList
import TestSupport

@testable import PostgreSQLStorage

/// A follower like that of a replica, and what it has received.
final class TestReplica: Sendable {
  let log: PostgreSQLStatusLog
  private let state: TestReplicaState

  /// Follows the log of a database.
  ///
  /// - Parameters:
  ///   - database: The database.
  ///   - history: The number of messages that are kept.
  ///   - listens: Whether notifications can be heard.
  ///   - retentionInterval: How often old rows are deleted.
  init(
    _ database: TestDatabase, history: Int = 1000, listens: Bool = true,
    retentionInterval: Duration = .seconds(60)
  ) {
    let state = TestReplicaState()
    self.state = state
    let connection = PostgreSQLConnection(
      .init(parameters: database.parameters, report: { report in state.add(report) }))
    log = PostgreSQLStatusLog(
      connection,
      PostgreSQLStatusLog.Configuration(
        parameters: database.parameters, deliverOn: QueueScheduler.background,
        report: { state.add($0) }, retentionInterval: retentionInterval, listens: listens))
    log.follow(history: history) { state.receive($0) }
  }

  var epoch: String? { state.content.epoch }
  var next: UInt64 { state.content.next }
  var messages: [UInt64: StatusPayload] { state.content.messages }
  var reasons: [SharedStatusChange.Reason?] { state.content.reasons }
  var reports: [ConnectionReport] { state.content.reports }
  var lines: [StoreReport] { state.content.lines }
  var isUnheard: Bool { lines.contains(.unheard) }

  /// The values of the messages in their order, for tests that number them.
  var values: [Int64] { messages.sorted { $0.key < $1.key }.map(\.value.rawValue) }

  /// Waits until the log has begun.
  func begin() throws {
    try eventually { self.epoch != nil }
  }

  /// Waits until the next message has a position.
  func wait(for next: UInt64, within time: Duration = patience) throws {
    try eventually(within: time) { self.next >= next }
  }
}

/// What a replica has received.
final class TestReplicaState: Sendable {
  struct Content {
    var epoch: String?
    var next: UInt64 = 0
    var messages: [UInt64: StatusPayload] = [:]
    var reasons: [SharedStatusChange.Reason?] = []
    var reports: [ConnectionReport] = []
    var lines: [StoreReport] = []
  }

  private let state = Lock(Content())

  var content: Content { state.withLock { $0 } }

  func add(_ report: ConnectionReport) {
    state.withLock { $0.reports.append(report) }
  }

  func add(_ line: StoreReport) {
    state.withLock { $0.lines.append(line) }
  }

  func receive(_ change: SharedStatusChange) {
    state.withLock { content in
      switch change {
      case .began(let epoch, let next, let reason):
        content.epoch = epoch
        content.next = next
        content.messages = [:]
        content.reasons.append(reason)
      case .messages(let payloads):
        for payload in payloads {
          content.messages[content.next] = payload
          content.next += 1
        }
      }
    }
  }
}

extension TestDatabase {
  /// Commits messages that wait for their positions, each in a transaction.
  func commit(_ values: some Sequence<Int64>) throws {
    let session = try session()
    for value in values {
      try session.execute(
        Query("INSERT INTO enlist.status_pending(payloads) VALUES (ARRAY[$1])").binding(value),
        by: .soon)
    }
  }

  /// Ends all other sessions on the server's side, as a failover does.
  func terminateSessions() throws {
    try session().execute(
      Query(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
        """
      ),
      by: .soon
    )
  }
}
