internal import MailingList

/// Stores batches of sign-ups, each member once, whatever becomes of the connection meanwhile.
// Not Sendable: only the writer's thread uses it.
struct SignUpWriter {
  /// The connection.
  let connection: PostgreSQLConnection
  /// When the batch is given up.
  let deadline: ContinuousClock.Instant
  /// Returns when nothing is sent again any more, if the store finishes.
  let endsAt: () -> ContinuousClock.Instant?
  /// After how many milliseconds the server gives up a statement; `nil` leaves what is in force.
  var statementTimeout: Int?

  /// Stores a batch, and waits until the outcome of each member is known, or the deadline.
  func store(_ batch: SignUpBatch) -> SignUpOutcomes {
    var outcomes = SignUpOutcomes()
    store(batch, again: false, &outcomes)
    return outcomes
  }

  /// Stores a batch.
  ///
  /// A statement whose outcome is unknown is never canceled: a commit that waits for a standby would
  /// turn into one that the standby does not have.
  ///
  /// - Parameter again: Whether it may have been stored before.
  private func store(_ batch: SignUpBatch, again: Bool, _ outcomes: inout SignUpOutcomes) {
    var again = again
    var failure: StoreError?
    while true {
      let end = min(deadline, endsAt() ?? deadline)
      guard ContinuousClock.now < end, let session = try? connection.ready(by: end),
        // Opening another session may have taken longer.
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

  /// Handles an error of the server, which has stored nothing this time.
  ///
  /// - Returns: Whether the members have their outcomes; if not, the batch is sent again.
  private func fail(
    _ batch: SignUpBatch,
    _ state: SQLState,
    again: Bool,
    _ outcomes: inout SignUpOutcomes
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
      // The first attempt may still be under way, and hold the locks of its addresses.
      return false
    } else {
      outcomes.add(batch, again ? .undetermined : error)
    }
    return true
  }

  /// Stores each member in a transaction of its own, in one round trip, so that only bad ones fail.
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
  /// Memory, or room in the table of locks, is used up.
  static let outOfMemory = SQLState("53200")
}

extension PostgreSQLError {
  /// Whether the error belongs to the values of one member of a batch.
  fileprivate var concernsMember: Bool {
    switch self {
    case .server(let state): state.concernsMember
    case .unreachable, .undetermined, .malformed: false
    }
  }
}
