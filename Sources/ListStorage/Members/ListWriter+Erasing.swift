package import EmailAddresses
package import MailingList
internal import Secrets

extension ListWriter {
  /// Counts the subscribers and consents that an erasure would delete.
  package func count(_ addresses: [EmailAddress]) throws(StoreError) -> ErasedCounts {
    let members = try members(withKeys: Array(Set(addresses.map(\.key)))).compactMap(\.self)
    return ErasedCounts(
      subscribers: members.count,
      consents: try consentCount(of: members)
    )
  }

  /// Erases subscribers with all that belongs to them, together.
  ///
  /// The trace also concerns addresses that are not on the list.
  package func erase(
    _ addresses: [EmailAddress],
    leaving trace: ErasureTrace,
    by actor: EventActor,
    at now: Timestamp
  ) throws(StoreError) -> ErasedCounts {
    let keys = Set(addresses.map(\.key)).sorted()
    return try deciding { () throws(StoreError) in
      let (counts, changes) = try erasing(keys, leaving: trace, by: actor, at: now)
      return try session.change(changes) ? counts : nil
    }
  }

  /// Erases the subscriber of an id, if it is as expected.
  func erase(
    _ id: Int64,
    leaving trace: ErasureTrace,
    by actor: EventActor,
    at now: Timestamp,
    if isExpected: (Subscriber) -> Bool
  ) throws(StoreError) -> StateChangeResult {
    try deciding { () throws(StoreError) in
      guard let (member, found) = try subscriber(id) else { return .unknown }
      guard isExpected(found) else { return .unexpected }
      let (_, changes) = try erasing(
        [member.key],
        leaving: trace,
        expecting: member,
        by: actor,
        at: now
      )
      return try session.change(changes) ? .changed(found) : nil
    }
  }

  /// Returns the changes that erase the subscribers of sorted keys.
  ///
  /// - Parameter expected: The only subscriber as it was compared; the changes fail if it has
  ///   changed since.
  private func erasing(
    _ keys: [String],
    leaving trace: ErasureTrace,
    expecting expected: Member? = nil,
    by actor: EventActor,
    at now: Timestamp
  ) throws(StoreError) -> (counts: ErasedCounts, changes: [BoundStatement]) {
    var changes = Self.locking(keys.flatMap(self.keys.suppressions))
    var suppressedCount = 0
    let members = try members(withKeys: keys)
    for (key, member) in zip(keys, members) {
      let hashes = self.keys.suppressions(key)
      if let guarded = expected ?? member { changes.append(guarded.unchanged) }
      let membership = member?.membership
      let objected = trace == .everything ? Suppression.objected : nil
      let isStored = try isSuppressed(hashes)
      if trace == .nothing {
        changes += forgetting(hashes)
      } else if let reason = objected ?? membership?.suppression {
        let since = membership?.suppressedAt ?? now
        changes += try keeping(reason, since: since, ofKey: key).1
        suppressedCount += 1
      } else if isStored {
        suppressedCount += 1
      } else if let hash = hashes.first {
        changes.append(Self.traceErasure(.bytes(hash), .time(now)))
      }
      changes += Member.deleting(key: key)
      if let member { changes.append(member.recording(.erased, by: actor, at: now)) }
    }
    let found = members.compactMap(\.self)
    let counts = ErasedCounts(
      subscribers: found.count,
      consents: try consentCount(of: found),
      suppressions: suppressedCount
    )
    return (counts, changes)
  }

  private func isSuppressed(_ hashes: [[UInt8]]) throws(StoreError) -> Bool {
    try suppressions(hashes).contains { row in
      row.flatMap { Suppression(rawValue: $0.reason) } != nil
    }
  }

  private func consentCount(of members: [Member]) throws(StoreError) -> Int {
    let statements = members.map { Self.countConsents(.number($0.id)) }
    return try session.rows(ofEach: statements) { Int($0.number(0) ?? 0) }.joined().reduce(0, +)
  }

  /// The reason 5 suppresses nothing; only what adds people rejects an address with it.
  private static let traceErasure = Statement(
    """
    INSERT INTO enlist.suppressions(key_hash, reason, at) VALUES (?1, 5, ?2)
      ON CONFLICT (key_hash) DO NOTHING
    """
  )
  private static let countConsents = Statement(
    "SELECT count(*) FROM enlist.consents WHERE subscriber_id = ?1"
  )
}
