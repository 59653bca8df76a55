internal import EmailAddresses
internal import MailingList
internal import Secrets

extension ChangeWriter {
  /// Takes a person off the list by a link.
  ///
  /// - Parameters:
  ///   - token: The hash of the token.
  ///   - means: How the link was used.
  ///   - request: The request of the person.
  /// - Returns: The result.
  /// - Throws: `StoreError`.
  func leave(
    _ token: [UInt8],
    by means: ConsentMeans,
    _ request: MembershipRequest
  ) throws(StoreError) -> LeaveResult {
    guard let proof = try proof(token, for: .unsubscribe),
      let member = try member(proof.subscriberID)
    else { return .unknown }
    guard let after = member.membership.leave(at: request.time) else { return .already }
    try markUsed(token, at: request.time)
    try write(after, of: member.id, at: request.time)
    try record(Evidence(kind: "withdrawn", means: means, request: request, proof: proof))
    return .left
  }

  /// Requests a new link by means of an old one.
  ///
  /// - Parameters:
  ///   - token: The hash of the old token.
  ///   - request: The request of the person.
  /// - Returns: The result.
  /// - Throws: `StoreError`.
  func renew(
    _ token: [UInt8],
    _ request: MembershipRequest
  ) throws(StoreError) -> RenewalResult {
    guard let proof = try proof(token, for: .confirm),
      let member = try member(proof.subscriberID)
    else { return .unknown }
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

  /// Suppresses an address.
  ///
  /// - Parameters:
  ///   - address: The address.
  ///   - reason: The reason.
  ///   - time: The current time.
  /// - Returns: The result.
  /// - Throws: `StoreError`.
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
    let hashes = keys.suppressions(address.key)
    for hash in hashes {
      guard let stored = try suppression(hash) else { continue }
      if stored.rawValue >= reason.rawValue { return .already }
    }
    for hash in hashes { try deleteSuppression(hash) }
    if let hash = hashes.first { try store(reason, of: hash, at: time) }
    return .unlisted
  }

  /// Stores the suppression of an address that is not on the list.
  ///
  /// - Parameters:
  ///   - reason: The reason.
  ///   - hash: The keyed hash of the address; none may be stored.
  ///   - time: When the suppression began.
  /// - Throws: `StoreError`.
  func store(
    _ reason: Suppression,
    of hash: [UInt8],
    at time: Timestamp
  ) throws(StoreError) {
    let statement = try statements[
      """
      INSERT INTO suppressions(key_hash, reason, at) VALUES (?1, ?2, ?3)
        ON CONFLICT(key_hash) DO UPDATE SET reason = excluded.reason, at = excluded.at
      """
    ]
    statement.bind(hash, at: 1)
    statement.bind(reason.rawValue, at: 2)
    statement.bind(time.millisecondsSince1970, at: 3)
    try statement.run()
  }

  /// Deletes the suppression of an address that is not on the list, if there is one.
  ///
  /// - Parameter hash: The keyed hash of the address.
  /// - Throws: `StoreError`.
  func deleteSuppression(_ hash: [UInt8]) throws(StoreError) {
    let statement = try statements["DELETE FROM suppressions WHERE key_hash = ?1"]
    statement.bind(hash, at: 1)
    try statement.run()
  }

  /// Reads a suppression; `nil` also for a reason that does not suppress.
  private func suppression(_ hash: [UInt8]) throws(StoreError) -> Suppression? {
    let statement = try statements["SELECT reason FROM suppressions WHERE key_hash = ?1"]
    statement.bind(hash, at: 1)
    return try statement.first { row in row.number(0).flatMap(Suppression.init(rawValue:)) } ?? nil
  }
}
