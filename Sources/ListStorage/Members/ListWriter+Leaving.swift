package import MailingList

extension ListWriter {
  /// Unsubscribes the subscriber of a link.
  package func leave(
    _ proof: LeaveProof, by means: ConsentMeans, _ request: MembershipRequest
  ) throws(StoreError) -> LeaveResult {
    try deciding { () throws(StoreError) in
      let member: Member
      var mail: Proof?
      switch proof {
      case .link(let token):
        guard let found = try link(token, for: .unsubscribe) else { return .unknown }
        (member, mail) = found
      case .subscriber(let id, let createdAt):
        let statement = Self.findSubscriber(.number(id), .time(createdAt))
        let found = try session.first(statement) { (row) throws(StoreError) in try Member(row) }
        guard let found else { return .already }
        member = found
      }
      guard let after = member.membership.leave(at: request.time) else { return .already }
      let withdrawal = recording("withdrawn", by: means, of: member.id, mail, request).1
      let isStored = try session.change(
        member.writing(after, by: .owner, at: request.time) + [withdrawal])
      return isStored ? .left : nil
    }
  }

  /// Requests a new link by means of an old one; stores nothing if the same link has requested one
  /// within ``Membership/renewalPause``.
  package func renew(
    _ token: [UInt8], _ request: MembershipRequest
  ) throws(StoreError) -> RenewalResult {
    guard let (member, proof) = try link(token, for: .confirm) else { return .unknown }
    let earliest = request.time.adding(.zero - Membership.renewalPause)
    if let usedAt = proof.usedAt, usedAt > earliest { return .accepted }
    let (consent, record) = recording(
      "requested", by: .renewal, of: member.id, proof, request, next: proof.next,
      fields: proof.fields)
    var changes = [
      Self.touch(.number(member.id), .time(request.time), .bytes(token), .time(earliest)).required,
      Self.useLink(.bytes(token), .time(request.time)),
      record,
      member.recording(.requested, by: .owner, at: request.time),
    ]
    switch optIn {
    case .single: break
    case .double:
      let kind = member.membership.renewal
      changes.append(queuing(kind, to: member, consent: consent, at: request.time))
    }
    if try session.change(changes), optIn == .double { mailsMayBeDue = true }
    return .accepted
  }

  private static let findSubscriber = Statement(
    "SELECT \(Member.columns) FROM enlist.subscribers s WHERE s.id = ?1 AND s.created_at = ?2")
  /// Subscribers before links, in the order of an erasure, so that the two never wait for each other.
  private static let touch = Statement(
    """
    UPDATE enlist.subscribers SET requested_at = ?2 WHERE id = ?1 AND EXISTS (
      SELECT 1 FROM enlist.tokens WHERE hash = ?3 AND (used_at IS NULL OR used_at <= ?4)
    )
    """
  )
  private static let useLink = Statement("UPDATE enlist.tokens SET used_at = ?2 WHERE hash = ?1")
}
