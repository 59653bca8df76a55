internal import EmailAddresses

/// The attributes of a subscriber that changes need.
struct Member {
  let id: Int64
  let address: String
  let key: String
  let membership: Membership
  /// The values of the membership as stored, by which a change is guarded.
  private let stored: [ListValue]

  /// The columns of ``init(_:)``, of the table `s`.
  static let columns = """
    s.id, s.address, s.address_key, s.state, s.suppression, s.confirmed_at, s.unsubscribed_at,
      s.suppressed_at, s.rejections
    """

  /// Reads a subscriber from the first nine columns.
  ///
  /// - Throws: `StoreError.damaged` for values that no release has written.
  init(_ row: any ListRow) throws(StoreError) {
    id = try row.required(row.number(0))
    address = try row.required(row.text(1))
    key = try row.required(row.text(2))
    membership = try row.membership(3)
    stored = [
      .number(row.number(3)), .number(row.number(4)), .time(row.time(5)), .time(row.time(6)),
      .time(row.time(7)), .number(row.number(8)),
    ]
  }

  /// The address, validated again; `nil` if no release would have stored it.
  var validated: EmailAddress? { try? EmailAddress(validating: address, level: .test) }

  /// Returns the change of the membership, which fails if the stored one has changed, and its
  /// event.
  ///
  /// - Parameter kind: The kind of the event; `nil` for the one that follows from the states.
  func writing(
    _ after: Membership, by actor: EventActor, as kind: ListEvent.Kind? = nil, at time: Timestamp
  ) -> [BoundStatement] {
    let write = Self.write(
      [
        .number(id), .time(time), .number(after.state?.rawValue),
        .number(after.suppression?.rawValue), .time(after.confirmedAt),
        .time(after.unsubscribedAt), .time(after.suppressedAt), .number(Int64(after.rejections)),
      ] + stored
    ).required
    guard let event = kind ?? membership.event(ofChangeTo: after) else { return [write] }
    return [write, recording(event, after, by: actor, after.suppression?.name, at: time)]
  }

  /// Returns the change that records an event of the subscriber.
  ///
  /// - Parameter after: The membership after the event; `nil` if it stays the same.
  func recording(
    _ kind: ListEvent.Kind, _ after: Membership? = nil, by actor: EventActor,
    _ detail: String? = nil, at time: Timestamp
  ) -> BoundStatement {
    let state = membership.state ?? .pending
    return EventRow.recording(
      kind, of: id, after?.state ?? state, from: state, by: actor, detail, at: time)
  }

  /// Locks the row of a server; fails if the membership has changed.
  var unchanged: BoundStatement { Self.lock([.number(id)] + stored).required }

  /// Deletes the subscriber with all that belongs to it, unless the person has signed up since a
  /// time, or the membership has changed.
  func deleting(requestedAt: Timestamp) -> [BoundStatement] {
    [Self.delete([.number(id)] + stored + [.time(requestedAt)]).required]
      + Self.deleteParts.map { $0(.number(id)) }
  }

  /// Deletes the subscriber of a key with all that belongs to it.
  static func deleting(key: String) -> [BoundStatement] {
    (deletePartsByKey + [deleteResponsesByKey, deleteByKey]).map { $0(.text(key)) }
  }

  private static let write = Statement(
    """
    UPDATE enlist.subscribers SET state = ?3, suppression = ?4, confirmed_at = ?5,
      unsubscribed_at = ?6, suppressed_at = ?7, rejections = ?8, updated_at = ?2
      WHERE id = ?1 AND \(isStored(9))
    """
  )
  private static let lock = Statement(
    "UPDATE enlist.subscribers SET requested_at = requested_at WHERE id = ?1 AND \(isStored(2))")
  private static let delete = Statement(
    "DELETE FROM enlist.subscribers WHERE id = ?1 AND \(isStored(2)) AND requested_at = ?8")
  private static let deleteByKey = Statement(
    "DELETE FROM enlist.subscribers WHERE address_key = ?1")
  private static let deleteParts = ["tokens", "codes", "consents"].map {
    Statement("DELETE FROM enlist.\($0) WHERE subscriber_id = ?1")
  }
  /// Mails first: a grant on another session locks its mail before it stores links.
  private static let deletePartsByKey = ["outbox", "tokens", "codes", "consents"].map {
    Statement(
      """
      DELETE FROM enlist.\($0) WHERE subscriber_id =
        (SELECT s.id FROM enlist.subscribers s WHERE s.address_key = ?1)
      """
    )
  }

  /// A receiver of events may have sent the address back.
  private static let deleteResponsesByKey = Statement(
    """
    UPDATE enlist.webhook_attempts SET response = NULL WHERE subscriber_id =
      (SELECT s.id FROM enlist.subscribers s WHERE s.address_key = ?1)
    """
  )

  private static func isStored(_ first: Int) -> String {
    let parameters = (first..<first + 6).map { "?\($0)" }.joined(separator: ", ")
    return """
      (state, suppression, confirmed_at, unsubscribed_at, suppressed_at, rejections)
        IS NOT DISTINCT FROM (\(parameters))
      """
  }
}
