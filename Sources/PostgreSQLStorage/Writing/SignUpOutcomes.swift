internal import MailingList

/// The outcomes of the members of a batch.
struct SignUpOutcomes {
  /// The members, and why each was not stored; `nil` when it is durable.
  private(set) var all: [(member: QueuedSignUp, error: StoreError?)] = []
  /// The number of members that are durable.
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
        // The statement was executed, but its result makes no sense.
        case nil: .undetermined
        }
      if error == nil { storedCount += 1 }
      all.append((member.queued, error))
    }
  }

  /// Records that no member of a batch was stored, or that it is not known.
  mutating func add(_ batch: SignUpBatch, _ error: StoreError) {
    for member in batch.members { all.append((member.queued, error)) }
  }

  /// Whether the log may have new messages.
  var mayHaveMessages: Bool {
    all.contains { $0.error == nil || $0.error == .undetermined }
  }

  /// What says whether the store accepts writes: no error if any member was stored, or lost to
  /// another replica.
  var storeError: StoreError? {
    all.contains { $0.error == nil || $0.error == .executing } ? nil : all.first?.error
  }
}
