internal import EmailAddresses
internal import MailingList
internal import Secrets

extension ChangeWriter {
  func suppress(
    _ address: EmailAddress,
    _ reason: Suppression,
    at time: Timestamp
  ) throws(StoreError) -> SuppressionResult {
    if let member = try member(withKey: address.key) {
      guard let after = member.membership.suppress(reason, at: time) else { return .already }
      try write(after, of: member.id, at: time)
      return .suppressed
    }
    return try keep(reason, since: time, ofKey: address.key) ? .unlisted : .already
  }

  /// Stores a suppression of an address whose subscriber does not exist or is about to be deleted.
  ///
  /// It replaces weaker ones. The strongest suppression is stored under the hash of the current
  /// secret, as the only row of the address, so that it remains when the previous secret is
  /// removed.
  @discardableResult
  func keep(
    _ reason: Suppression,
    since time: Timestamp,
    ofKey key: String
  ) throws(StoreError) -> Bool {
    let hashes = keys.suppressions(key)
    var stored: (reason: Suppression, at: Timestamp)?
    for hash in hashes {
      guard let found = try suppression(hash) else { continue }
      if found.reason.rawValue > stored?.reason.rawValue ?? 0 { stored = found }
      try deleteSuppression(hash)
    }
    let isStronger = reason.rawValue > stored?.reason.rawValue ?? 0
    let kept = (isStronger ? nil : stored) ?? (reason, time)
    guard let hash = hashes.first else { return isStronger }
    let statement = try statements[
      """
      INSERT INTO suppressions(key_hash, reason, at) VALUES (?1, ?2, ?3)
        ON CONFLICT(key_hash) DO UPDATE SET reason = excluded.reason, at = excluded.at
      """
    ]
    statement.bind(hash, at: 1)
    statement.bind(kept.reason.rawValue, at: 2)
    statement.bind(kept.at.millisecondsSince1970, at: 3)
    try statement.run()
    return isStronger
  }

  /// Stores or deletes the suppression of an address whose subscriber is about to be erased.
  func keepSuppression(
    ofErased key: String,
    forgetting forgets: Bool,
    at now: Timestamp
  ) throws(StoreError) -> Bool {
    let hashes = keys.suppressions(key)
    if forgets {
      for hash in hashes { try deleteSuppression(hash) }
      return false
    }
    if let membership = try member(withKey: key)?.membership, let reason = membership.suppression {
      try keep(reason, since: membership.suppressedAt ?? now, ofKey: key)
      return true
    }
    for hash in hashes where try suppression(hash) != nil { return true }
    return false
  }

  /// Deletes the suppression of an address that is not on the list, if there is one.
  func deleteSuppression(_ hash: [UInt8]) throws(StoreError) {
    let statement = try statements["DELETE FROM suppressions WHERE key_hash = ?1"]
    statement.bind(hash, at: 1)
    try statement.run()
  }

  /// Reads a suppression; `nil` also for a reason that does not suppress.
  private func suppression(
    _ hash: [UInt8]
  ) throws(StoreError) -> (reason: Suppression, at: Timestamp)? {
    let statement = try statements["SELECT reason, at FROM suppressions WHERE key_hash = ?1"]
    statement.bind(hash, at: 1)
    return try statement.first { row in
      guard let reason = row.number(0).flatMap(Suppression.init), let time = row.time(1) else {
        return nil
      }
      return (reason, time)
    } ?? nil
  }
}
