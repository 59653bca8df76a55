package import EmailAddresses
internal import Security

extension ListWriter {
  /// Counts the subscribers and consents that an erasure would delete.
  package func count(_ addresses: [EmailAddress]) throws(StoreError) -> ErasedCounts {
    let members = try members(withKeys: Array(Set(addresses.map(\.key)))).compactMap(\.self)
    return ErasedCounts(subscribers: members.count, consents: try consentCount(of: members))
  }

  /// Erases subscribers with all that belongs to them, together.
  ///
  /// The trace also concerns addresses that are not on the list.
  package func erase(
    _ addresses: [EmailAddress], leaving trace: ErasureTrace, by actor: EventActor,
    at now: Timestamp
  ) throws(StoreError) -> ErasedCounts {
    let keys = Set(addresses.map(\.key)).sorted()
    return try deciding { () throws(StoreError) in
      let (counts, changes) = try erasing(keys, leaving: trace, by: actor, at: now)
      return try session.change(changes) ? counts : nil
    }
  }

  /// Erases the subscriber of an id with all that belongs to it, if it is as expected.
  package func erase(
    _ id: Int64, leaving trace: ErasureTrace, by actor: EventActor, at now: Timestamp,
    if isExpected: (Subscriber) -> Bool
  ) throws(StoreError) -> StateChangeResult {
    try deciding { () throws(StoreError) in
      guard let (member, found) = try subscriber(id) else { return .unknown }
      guard isExpected(found) else { return .unexpected }
      let (_, changes) = try erasing(
        [member.key], leaving: trace, expecting: member, by: actor, at: now)
      return try session.change(changes) ? .changed(found) : nil
    }
  }

  /// Returns the changes that erase the subscribers of sorted keys.
  ///
  /// - Parameter expected: The only subscriber as it was compared; the changes fail if it has
  ///   changed since.
  private func erasing(
    _ keys: [String], leaving trace: ErasureTrace, expecting expected: Member? = nil,
    by actor: EventActor, at now: Timestamp
  ) throws(StoreError) -> (counts: ErasedCounts, changes: [BoundStatement]) {
    let hashes = keys.map { self.keys.suppressions(ofKey: $0) }
    var stored = try ListReader(session).suppressions(of: hashes)
    var changes = Self.locking(hashes)
    var suppressedCount = 0
    let members = try members(withKeys: keys)
    for ((key, hashes), member) in zip(zip(keys, hashes), members) {
      if let guarded = expected ?? member { changes.append(guarded.unchanged) }
      let membership = member?.membership
      let objected = trace == .everything ? Suppression.objected : nil
      if trace == .nothing {
        changes += try ending(hashes, of: keys, &stored, by: actor, at: now)
      } else if let reason = objected ?? membership?.suppression {
        _ = stored.keep(reason, since: membership?.suppressedAt ?? now, of: hashes)
        suppressedCount += 1
      } else if stored.strongest(of: hashes) != nil {
        suppressedCount += 1
      } else {
        stored.leaveTrace(of: hashes, at: now)
      }
      changes += Member.deleting(key: key)
      if let member { changes.append(member.recording(.erased, by: actor, at: now)) }
    }
    changes += stored.changes
    let found = members.compactMap(\.self)
    let counts = ErasedCounts(
      subscribers: found.count, consents: try consentCount(of: found), suppressions: suppressedCount
    )
    return (counts, changes)
  }

  private func consentCount(of members: [Member]) throws(StoreError) -> Int {
    let statements = members.map { Self.countConsents(.number($0.id)) }
    return try session.rows(ofEach: statements) { Int($0.number(0) ?? 0) }.joined().reduce(0, +)
  }

  private static let countConsents = Statement(
    "SELECT count(*) FROM enlist.consents WHERE subscriber_id = ?1")
}
