internal import MailingList

/// The outcomes of the members of a batch.
struct SignUpOutcomes {
  /// The members, and the reasons why they were not stored; `nil` for a durable one.
  private(set) var all: [(member: QueuedSignUp, error: StoreError?)] = []
  /// The number of durable members.
  private(set) var storedCount = 0

  /// Records the result of the statement that stored a batch.
  mutating func add(_ batch: SignUpBatch, _ result: QueryResult) {
    let wins = (try? result.array(0, 0, of: Bool.self)) ?? nil
    for (index, member) in batch.members.enumerated() {
      let hasWon: Bool? = wins.flatMap { index < $0.count ? $0[index] : nil }
      let error: StoreError? =
        switch hasWon {
        case true?: nil
        case false?: .executing
        // The statement was executed, but its result is malformed.
        case nil: .undetermined
        }
      if error == nil { storedCount += 1 }
      all.append((member.queued, error))
    }
  }

  /// Records the error of all members of a batch: none was stored, or this is unknown.
  mutating func add(_ batch: SignUpBatch, _ error: StoreError) {
    for member in batch.members { all.append((member.queued, error)) }
  }

  /// Whether the status log may have new messages.
  var mayHaveMessages: Bool {
    all.contains { $0.error == nil || $0.error == .undetermined }
  }

  /// The reason why the store does not accept writes; `nil` if any member was stored, or is being
  /// stored by another replica.
  var storeError: StoreError? {
    all.contains { $0.error == nil || $0.error == .executing } ? nil : all.first?.error
  }
}
