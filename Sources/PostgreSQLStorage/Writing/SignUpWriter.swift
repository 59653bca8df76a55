internal import MailingList

/// A writer of batches that stores each member once, even if the connection is lost meanwhile.
// Not Sendable: only the writer's thread uses it.
struct SignUpWriter {
  let connection: PostgreSQLConnection
  /// The time at which the writer gives up the batch.
  let deadline: ContinuousClock.Instant
  /// Returns the time after which no sign-up is sent, because the store is finishing; otherwise
  /// `nil`.
  let endsAt: () -> ContinuousClock.Instant?
  /// The server's timeout of a statement in milliseconds; `nil` leaves the current one.
  var statementTimeout: Int?

  /// Stores a batch; returns when every member has an outcome, at the latest after the deadline.
  func store(_ batch: SignUpBatch) -> SignUpOutcomes {
    var outcomes = SignUpOutcomes()
    store(batch, again: false, &outcomes)
    return outcomes
  }

  /// Stores a batch.
  ///
  /// A statement with an undetermined outcome is never canceled: after the cancellation, a commit
  /// that is waiting for a standby would be complete without the standby.
  ///
  /// - Parameter again: Whether the batch may already have been stored.
  private func store(_ batch: SignUpBatch, again: Bool, _ outcomes: inout SignUpOutcomes) {
    var again = again
    var failure: StoreError?
    while true {
      let end = min(deadline, endsAt() ?? deadline)
      guard ContinuousClock.now < end, let session = try? connection.ready(by: end),
        // Opening another session may have exceeded the deadline.
        ContinuousClock.now < end
      else {
        if again { connection.abandoned() }
        outcomes.add(batch, again ? .undetermined : failure ?? connection.storeError)
        return
      }
      if let statementTimeout,
        !connection.limitStatements(to: statementTimeout, by: deadline)
      {
        continue
      }
      connection.sent()
      do throws(PostgreSQLError) {
        let result = try session.execute(batch.query(again: again), by: deadline)
        connection.settled()
        outcomes.add(batch, result)
        return
      } catch {
        switch error {
        case .server(let state) where state.endsConnection:
          connection.settled()
          connection.lost(error)
          failure = StoreError(state)
        case .server(let state)
        where state == .uniqueViolation && (try? session.continueNumbers(by: deadline)) == true:
          // Rows were replicated to the server after the check of the session.
          connection.settled()
        case .server(let state):
          connection.settled()
          if fail(batch, state, again: again, &outcomes) { return }
        case .unreachable:
          connection.settled()
          connection.lost(error)
        case .undetermined, .malformed:
          connection.lost(error)
          again = true
        }
      }
    }
  }

  /// Handles a server's error, after which this attempt has stored nothing.
  ///
  /// Returns whether all members have their outcomes; otherwise the batch must be repeated.
  private func fail(
    _ batch: SignUpBatch, _ state: SQLState, again: Bool, _ outcomes: inout SignUpOutcomes
  ) -> Bool {
    let error = StoreError(state)
    if state.concernsMember {
      if batch.members.count > 1 {
        storeEach(batch, again: again, &outcomes)
      } else {
        outcomes.add(batch, error)
      }
    } else if state == .outOfMemory, batch.members.count > 1 {
      // The server's table of locks is full.
      for half in batch.halves { store(half, again: again, &outcomes) }
    } else if again, error == .locked {
      // The first attempt may still be running, and hold the locks of its addresses.
      return false
    } else {
      outcomes.add(batch, again ? .undetermined : error)
    }
    return true
  }

  /// Stores each member in its own transaction, in one round trip, so that only invalid members
  /// fail.
  private func storeEach(_ batch: SignUpBatch, again: Bool, _ outcomes: inout SignUpOutcomes) {
    let singles = batch.singles
    guard let session = connection.current else {
      for single in singles { store(single, again: again, &outcomes) }
      return
    }
    connection.sent()
    do throws(PostgreSQLError) {
      let results = try session.execute(each: singles.map { $0.query(again: again) }, by: deadline)
      connection.settled()
      for (single, result) in zip(singles, results) {
        switch result {
        case .success(let result): outcomes.add(single, result)
        case .failure(let error):
          outcomes.add(single, again && !error.concernsMember ? .undetermined : StoreError(error))
        }
      }
    } catch {
      connection.lost(error)
      for single in singles { store(single, again: true, &outcomes) }
    }
  }
}

extension SQLState {
  /// Memory, or space in the table of locks, is exhausted.
  static let outOfMemory = SQLState("53200")
}

extension PostgreSQLError {
  /// Whether the error concerns one member of a batch.
  fileprivate var concernsMember: Bool {
    switch self {
    case .server(let state): state.concernsMember
    case .unreachable, .undetermined, .malformed: false
    }
  }
}
