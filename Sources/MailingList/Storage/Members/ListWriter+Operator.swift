package import EmailAddresses
package import Security

/// The result of a change by the operator.
package enum StateChangeResult: Hashable, Sendable {
  /// The subscriber afterwards, also if nothing had to change; the erased one as it was.
  case changed(Subscriber)
  /// The subscriber is not as expected; nothing changes.
  case unexpected
  /// There is no such subscriber.
  case unknown
}

extension ListReader {
  package func subscriber(_ id: Int64) throws(StoreError) -> Subscriber? {
    try session.first(Self.findSubscriber(.number(id)), Self.subscriber)
  }

  /// Reads what the list has about addresses, in their order.
  package func lookUp(
    _ addresses: [EmailAddress], _ keys: MailKeys
  ) throws(StoreError) -> [AddressStatus] {
    let found = try session.rows(
      ofEach: addresses.map { Self.findSubscriberByKey(.text($0.key)) }, Self.subscriber)
    let hashes = addresses.map(keys.suppressions(of:))
    let stored = try suppressions(of: hashes)
    return zip(found, hashes).map { rows, hashes in
      AddressStatus(
        subscriber: rows.first,
        suppression: rows.first.map { $0.suppression ?? stored.strongestOfMailbox(hashes)?.reason }
          ?? stored.strongest(of: hashes)?.reason
      )
    }
  }

  private static let findSubscriber = Statement(
    "SELECT \(subscriberColumns) FROM enlist.subscribers WHERE id = ?1")
  private static let findSubscriberByKey = Statement(
    "SELECT \(subscriberColumns) FROM enlist.subscribers WHERE address_key = ?1")
}

extension ListWriter {
  /// Changes the state of a subscriber.
  ///
  /// - Parameter isExpected: Whether the subscriber is as the operator has seen it.
  package func change(
    _ change: StateChange, of id: Int64, by actor: EventActor, at time: Timestamp,
    if isExpected: (Subscriber) -> Bool
  ) throws(StoreError) -> StateChangeResult {
    try deciding { () throws(StoreError) in
      guard let (member, before) = try subscriber(id) else { return .unknown }
      guard isExpected(before) else { return .unexpected }
      guard let after = member.membership.changed(change, at: time), after != member.membership
      else { return .changed(before) }
      let hashes = keys.suppressions(ofKey: member.key)
      var stored = try ListReader(session).suppressions(of: [hashes])
      var changes = Self.locking([hashes]) + member.writing(after, by: actor, at: time)
      if after.state != .suppressed, member.membership.state == .suppressed {
        changes += try ending(hashes, of: [member.key], &stored, by: actor, at: time)
      } else {
        stored.keep(after, at: time, of: hashes)
      }
      changes += stored.changes
      if after.state == .unsubscribed {
        let request = MembershipRequest(at: time)
        changes.append(recording("withdrawn", by: .operator, of: id, nil, request).1)
      }
      guard try session.change(changes) else { return nil }
      return try ListReader(session).subscriber(id).map { .changed($0) } ?? .unknown
    }
  }

  /// Queues the mail that asks a pending subscriber to confirm again, within the limits of mails to
  /// a mailbox; returns ``StateChangeResult/unexpected`` if no one is asked.
  package func requestConfirmation(
    of id: Int64, at time: Timestamp
  ) throws(StoreError) -> StateChangeResult {
    try deciding { () throws(StoreError) in
      guard let (member, subscriber) = try subscriber(id) else { return .unknown }
      let last = try session.first(Self.findLastConsent(.number(id))) { $0.bytes(0) }
      let consent = last.flatMap { $0 }.flatMap { ExecutionID(bytes: $0) }
      guard optIn == .double, member.membership.state == .pending, let consent else {
        return .unexpected
      }
      let mail = queuing(.confirm, to: member, consent: consent, at: time)
      guard try session.change([member.unchanged, mail]) else { return nil }
      mailsMayBeDue = true
      return .changed(subscriber)
    }
  }

  /// Ids of consents begin with the time; who came from another list has no request here.
  private static let findLastConsent = Statement(
    """
    SELECT id FROM enlist.consents WHERE subscriber_id = ?1 AND kind IN ('requested', 'imported')
      ORDER BY id DESC LIMIT 1
    """
  )

  /// Reads a subscriber after the values that guard its changes.
  func subscriber(_ id: Int64) throws(StoreError) -> (Member, Subscriber)? {
    let found = try session.first(Self.memberByID(.number(id))) { (row) throws(StoreError) in
      try Member(row)
    }
    guard let member = found, let subscriber = try ListReader(session).subscriber(id) else {
      return nil
    }
    return (member, subscriber)
  }

  private static let memberByID = Statement(
    "SELECT \(Member.columns) FROM enlist.subscribers s WHERE s.id = ?1")
}
