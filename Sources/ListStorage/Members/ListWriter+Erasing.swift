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
  /// A suppression remains as a keyed hash unless it is forgotten, also that of an address that is
  /// not on the list.
  package func erase(
    _ addresses: [EmailAddress],
    forgettingSuppressions forgets: Bool,
    at now: Timestamp
  ) throws(StoreError) -> ErasedCounts {
    let keys = Set(addresses.map(\.key)).sorted()
    return try deciding { () throws(StoreError) in
      var changes = Self.locking(keys.flatMap(self.keys.suppressions))
      var suppressedCount = 0
      let members = try members(withKeys: keys)
      for (key, member) in zip(keys, members) {
        let hashes = self.keys.suppressions(key)
        if let member { changes.append(member.unchanged) }
        if forgets {
          changes += forgetting(hashes)
        } else if let membership = member?.membership, let reason = membership.suppression {
          let since = membership.suppressedAt ?? now
          changes += try keeping(reason, since: since, ofKey: key).1
          suppressedCount += 1
        } else if try isSuppressed(hashes) {
          suppressedCount += 1
        }
        changes += Member.deleting(key: key)
      }
      let found = members.compactMap(\.self)
      let counts = ErasedCounts(
        subscribers: found.count,
        consents: try consentCount(of: found),
        suppressions: suppressedCount
      )
      return try session.change(changes) ? counts : nil
    }
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

  private static let countConsents = Statement(
    "SELECT count(*) FROM enlist.consents WHERE subscriber_id = ?1"
  )
}
