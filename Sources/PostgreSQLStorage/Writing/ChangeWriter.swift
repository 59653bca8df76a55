internal import MailingList
internal import Secrets

/// What a change needs while it has the writer's connection.
// Not Sendable: only the writer's thread uses it.
final class ChangeWriter {
  private let session: PostgreSQLSession
  private let deadline: ContinuousClock.Instant

  /// The keys of mailboxes and suppressions.
  let keys: MailKeys
  /// Whether renewals cause mails.
  let optIn: OptIn
  /// Whether a mail has been queued, or a row that takes its place.
  var hasNewMail = false

  private var random: PooledRandomNumberGenerator

  /// Creates a writer for one change.
  ///
  /// - Parameter deadline: The time by which all results must arrive.
  init(
    _ session: PostgreSQLSession,
    by deadline: ContinuousClock.Instant,
    keys: MailKeys,
    optIn: OptIn,
    random: PooledRandomNumberGenerator
  ) {
    self.session = session
    self.deadline = deadline
    self.keys = keys
    self.optIn = optIn
    self.random = random
  }

  /// Executes a statement that changes something.
  @discardableResult
  func change(_ query: Query) throws(PostgreSQLError) -> QueryResult {
    try session.execute(query, by: deadline)
  }

  /// Executes statements in one round trip, each in a transaction of its own.
  ///
  /// - Throws: The first `PostgreSQLError`; then later statements may have been executed.
  func change(each queries: [Query]) throws(PostgreSQLError) -> [QueryResult] {
    var results: [QueryResult] = []
    for result in try session.execute(each: queries, by: deadline) {
      results.append(try result.get())
    }
    return results
  }

  /// Executes a statement that only reads, so that it does no harm to execute it again.
  func read(_ query: Query) throws(PostgreSQLError) -> QueryResult {
    do throws(PostgreSQLError) {
      return try session.execute(query, by: deadline)
    } catch {
      switch error {
      case .undetermined: throw .unreachable
      case .unreachable, .malformed, .server: throw error
      }
    }
  }

  /// Makes an id for a consent that is not that of a sign-up.
  func consentID(at time: Timestamp) -> ExecutionID {
    ExecutionID(at: time, using: &random)
  }

  /// Makes an id for a mail.
  func mailID(at time: Timestamp) -> MailID {
    MailID(at: time, using: &random)
  }
}
