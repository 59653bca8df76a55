package import EmailAddresses
package import MailingList
internal import Secrets

extension ListWriter {
  /// Suppresses addresses together, also those that are not on the list; a weaker reason does not
  /// replace a stronger one.
  package func suppress(
    _ addresses: [EmailAddress],
    _ reason: Suppression,
    by actor: EventActor,
    at time: Timestamp
  ) throws(StoreError) -> [SuppressionResult] {
    // In the order of keys, as sign-ups lock rows.
    let keys = Set(addresses.map(\.key)).sorted()
    let results = try deciding { () throws(StoreError) in
      var results: [String: SuppressionResult] = [:]
      var changes = Self.locking(keys.flatMap(self.keys.suppressions))
      for (key, member) in zip(keys, try members(withKeys: keys)) {
        if let member {
          let after = member.membership.suppress(reason, at: time)
          results[key] = after == nil ? .already : .suppressed
          if let after { changes += member.writing(after, by: actor, at: time) }
        } else {
          let (isStronger, kept) = try keeping(reason, since: time, ofUnlisted: key)
          results[key] = isStronger ? .unlisted : .already
          changes += kept
        }
      }
      let complaints = reason == .complaint ? results.values.count { $0 == .suppressed } : 0
      if complaints > 0 {
        changes += MailHours.adding(MailCounts(complaints: complaints), of: nil, at: time)
      }
      return try session.change(changes) ? results : nil
    }
    var told: Set<String> = []
    return addresses.map { address in
      told.insert(address.key).inserted ? results[address.key] ?? .already : .already
    }
  }

  /// Returns the changes that store a suppression of an address whose subscriber does not exist or
  /// is deleted in the same group, and whether no stored one is as strong.
  ///
  /// The strongest suppression is stored under the hash of the current secret, as the only row of
  /// the address, so that it remains when the previous secret is removed.
  func keeping(
    _ reason: Suppression,
    since time: Timestamp,
    ofKey key: String
  ) throws(StoreError) -> (isStronger: Bool, [BoundStatement]) {
    let hashes = keys.suppressions(key)
    guard let current = hashes.first else { return (true, []) }
    let stored = try suppressions(hashes)
    // The first of equally strong ones, which is that of the current secret.
    var strongest = (reason: reason.rawValue, at: time)
    var isStronger = true
    for case let row? in stored where Suppression(rawValue: row.reason) != nil {
      if row.reason > strongest.reason || isStronger && row.reason == strongest.reason {
        strongest = row
        isStronger = false
      }
    }
    let others = forgetting(Array(hashes.dropFirst()))
    let before = stored.first.flatMap { $0?.reason } ?? 0
    let keep = Self.keep(
      .bytes(current),
      .number(strongest.reason),
      .time(strongest.at),
      .number(before)
    )
    return (isStronger, [keep.required] + others)
  }

  /// The same for an address that is not on the list; fails if it was signed up meanwhile.
  private func keeping(
    _ reason: Suppression,
    since time: Timestamp,
    ofUnlisted key: String
  ) throws(StoreError) -> (isStronger: Bool, [BoundStatement]) {
    var (isStronger, changes) = try keeping(reason, since: time, ofKey: key)
    if let hash = keys.suppressions(key).first {
      changes.append(Self.checkUnlisted(.bytes(hash), .text(key)).required)
    }
    return (isStronger, changes)
  }

  /// Returns the changes that delete suppressions of an address that is not on the list.
  func forgetting(_ hashes: [[UInt8]]) -> [BoundStatement] {
    hashes.map { Self.forget(.bytes($0)) }
  }

  func members(withKeys keys: [String]) throws(StoreError) -> [Member?] {
    let statements = keys.map { Self.memberByKey(.text($0)) }
    let found = try session.rows(ofEach: statements) { (row) throws(StoreError) in
      try Member(row)
    }
    return found.map(\.first)
  }

  /// Reads the stored suppression of each hash; the reason may be one that does not suppress.
  func suppressions(
    _ hashes: [[UInt8]]
  ) throws(StoreError) -> [(reason: Int64, at: Timestamp)?] {
    try ListReader(session).suppressions(hashes)
  }

  private static let forget = Statement("DELETE FROM enlist.suppressions WHERE key_hash = ?1")
  private static let keep = Statement(
    """
    INSERT INTO enlist.suppressions AS x (key_hash, reason, at) VALUES (?1, ?2, ?3)
      ON CONFLICT (key_hash) DO UPDATE SET reason = excluded.reason, at = excluded.at
        WHERE x.reason = ?4
    """
  )
  private static let checkUnlisted = Statement(
    """
    UPDATE enlist.suppressions SET at = at WHERE key_hash = ?1
      AND NOT EXISTS (SELECT 1 FROM enlist.subscribers s WHERE s.address_key = ?2)
    """
  )
}

extension ListReader {
  /// Reads the stored suppression of each hash; the reason may be one that does not suppress.
  func suppressions(
    _ hashes: [[UInt8]]
  ) throws(StoreError) -> [(reason: Int64, at: Timestamp)?] {
    let statements = hashes.map { Self.findSuppression(.bytes($0)) }
    return try session.rows(ofEach: statements) { (row) throws(StoreError) in
      (reason: try row.required(row.number(0)), at: try row.required(row.time(1)))
    }
    .map(\.first)
  }

  private static let findSuppression = Statement(
    "SELECT reason, at FROM enlist.suppressions WHERE key_hash = ?1"
  )
}
