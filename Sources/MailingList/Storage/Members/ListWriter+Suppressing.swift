package import EmailAddresses
internal import Security

extension ListWriter {
  /// Suppresses addresses together, also those that are not on the list; a weaker reason does not
  /// replace a stronger one.
  package func suppress(
    _ addresses: [EmailAddress], _ reason: Suppression, by actor: EventActor, at time: Timestamp
  ) throws(StoreError) -> [SuppressionResult] {
    // In the order of keys, as sign-ups lock rows.
    let people = Dictionary(addresses.map { ($0.key, $0) }) { first, _ in first }
    let keys = people.keys.sorted()
    let hashes = keys.compactMap { people[$0] }.map(self.keys.suppressions(of:))
    let results = try deciding { () throws(StoreError) in
      var results: [String: SuppressionResult] = [:]
      var stored = try ListReader(session).suppressions(of: hashes)
      var changes = Self.locking(hashes)
      let members = try members(withKeys: keys)
      for ((key, hashes), member) in zip(zip(keys, hashes), members) {
        if let member {
          let after = member.membership.suppress(reason, at: time)
          results[key] = after == nil ? .already : .suppressed
          if let after { changes += member.writing(after, by: actor, at: time) }
          stored.keep(after ?? member.membership, at: time, of: hashes)
        } else {
          let isStronger = stored.keep(reason, since: time, of: hashes)
          results[key] = isStronger ? .unlisted : .already
        }
      }
      changes += stored.changes
      for ((key, hashes), member) in zip(zip(keys, hashes), members) where member == nil {
        changes.append(stored.checkingUnlisted(key, hashes))
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

  package func suppress(
    _ address: EmailAddress, _ reason: Suppression, by actor: EventActor, at time: Timestamp
  ) throws(StoreError) -> SuppressionResult {
    try suppress([address], reason, by: actor, at: time).first ?? .already
  }

  /// Forgets the suppressions of an address, and returns the changes that end that of a subscriber
  /// who signed up with another spelling, and became suppressed only by the one of the mailbox.
  ///
  /// - Parameter keys: The keys of subscribers that the same group changes.
  func ending(
    _ hashes: SuppressionHashes, of keys: [String], _ stored: inout StoredSuppressions,
    by actor: EventActor, at time: Timestamp
  ) throws(StoreError) -> [BoundStatement] {
    let ended = stored.strongestOfMailbox(hashes)
    stored.forget(hashes)
    guard let ended, !keys.contains(hashes.mailboxKey),
      let member = try members(withKeys: [hashes.mailboxKey]).first ?? nil,
      member.membership.suppression == ended.reason, member.membership.suppressedAt == ended.at
    else { return [] }
    return member.writing(Membership(state: .pending), by: actor, at: time)
  }

  func members(withKeys keys: [String]) throws(StoreError) -> [Member?] {
    let statements = keys.map { Self.memberByKey(.text($0)) }
    let found = try session.rows(ofEach: statements) { (row) throws(StoreError) in
      try Member(row)
    }
    return found.map(\.first)
  }
}
