internal import MailingList
internal import Secrets

extension ChangeWriter {
  /// Unsubscribes the subscriber of a link.
  func leave(
    _ token: [UInt8],
    by means: ConsentMeans,
    _ request: MembershipRequest
  ) throws(StoreError) -> LeaveResult {
    guard let proof = try proof(token, for: .unsubscribe),
      let member = try member(proof.subscriberID)
    else { return .unknown }
    guard let after = member.membership.leave(at: request.time) else { return .already }
    try write(after, of: member.id, at: request.time)
    try record(Evidence(kind: "withdrawn", means: means, request: request, proof: proof))
    return .left
  }

  /// Requests a new link by means of an old one.
  func renew(
    _ token: [UInt8],
    _ request: MembershipRequest
  ) throws(StoreError) -> RenewalResult {
    guard let proof = try proof(token, for: .confirm),
      let member = try member(proof.subscriberID)
    else { return .unknown }
    guard try mayRenew(token, at: request.time) else { return .accepted }
    let touch = try statements["UPDATE subscribers SET requested_at = ?2 WHERE id = ?1"]
    touch.bind(member.id, at: 1)
    touch.bind(request.time.millisecondsSince1970, at: 2)
    try touch.run()
    let consent = try record(
      Evidence(
        kind: "requested",
        means: .renewal,
        request: request,
        proof: proof,
        next: try next(after: proof.consentID)
      )
    )
    switch optIn {
    case .single: break
    case .double:
      let kind = member.membership.renewal
      try queueMail(kind, to: member, consent: consent, at: request.time)
    }
    return .accepted
  }

  /// Records a request for a new link; returns `false` if the same link has requested one recently.
  private func mayRenew(_ token: [UInt8], at time: Timestamp) throws(StoreError) -> Bool {
    let statement = try statements[
      "UPDATE tokens SET used_at = ?2 WHERE hash = ?1 AND ifnull(used_at <= ?3, 1)"
    ]
    statement.bind(token, at: 1)
    statement.bind(time.millisecondsSince1970, at: 2)
    statement.bind(
      time.adding(.zero - Membership.renewalPause).millisecondsSince1970,
      at: 3
    )
    try statement.run()
    return statements.changesCount > 0
  }
}
