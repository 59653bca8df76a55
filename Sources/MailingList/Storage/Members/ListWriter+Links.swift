internal import Security

extension ListWriter {
  /// Confirms a subscription by a link; it can be repeated.
  ///
  /// The membership changes as in ``Membership/confirm(at:proofMadeAt:)``, except that an expired
  /// link of a person who is not a subscriber leads to ``ConfirmationResult/refused``. A change is
  /// recorded with the mail of the link, and ends a suppression of the address.
  package func confirm(
    _ token: [UInt8], _ request: MembershipRequest
  ) throws(StoreError) -> ConfirmationResult {
    try deciding { () throws(StoreError) in
      guard let (member, proof) = try link(token, for: .confirm) else { return .unknown }
      let confirmation = member.membership.confirm(
        at: request.time, linkMadeAt: proof.madeAt, expiresAt: proof.expiresAt)
      let subscriber = ConfirmedSubscriber(id: member.id, next: proof.next)
      switch confirmation {
      case .confirmed(let after):
        let isStored = try subscribe(member, after, by: .link, proof, request)
        return isStored ? .confirmed(subscriber) : nil
      case .already: return .already(subscriber)
      case .gone: return .refused
      }
    }
  }

  /// Confirms a subscription by the code in the last mail to the subscriber who made this sign-up.
  ///
  /// The same statements run for every state of a subscriber, until the code is right. The try is
  /// counted before the code is compared, for all services of the list, even without a stored code;
  /// after ``ConfirmationLimits/codeTries`` of them for a mail every code is wrong.
  ///
  /// - Parameter isCode: Compares the typed code with a stored hash for a subscriber, in constant
  ///   time.
  package func confirm(
    code isCode: (_ hash: [UInt8], _ subscriber: Int64) -> Bool, of id: ExecutionID,
    _ request: MembershipRequest
  ) throws(StoreError) -> ConfirmationResult {
    guard id.isKnown(at: request.time), let first = try requester(of: id) else { return .unknown }
    let (proof, hash, tries) = try tryCode(of: first.id, id)
    // The same work, even without a code.
    let isRight = isCode(hash ?? Self.noHash, first.id)
    guard hash != nil, isRight, tries <= ConfirmationLimits.codeTries,
      let expiresAt = proof.expiresAt, expiresAt > request.time
    else { return .refused }
    var member: Member? = first
    return try deciding { () throws(StoreError) in
      let current = member
      member = nil
      guard let found = current == nil ? try requester(of: id) : current else { return .unknown }
      let subscriber = ConfirmedSubscriber(id: found.id, next: proof.next)
      switch found.membership.confirm(at: request.time, proofMadeAt: proof.madeAt) {
      case .confirmed(let after):
        let isStored = try subscribe(found, after, by: .code, proof, request)
        return isStored ? .confirmed(subscriber) : nil
      case .already: return .already(subscriber)
      case .gone: return .refused
      }
    }
  }

  /// Reads a link with its subscriber; `nil` for an unknown one.
  func link(_ token: [UInt8], for purpose: LinkPurpose) throws(StoreError) -> (Member, Proof)? {
    let statement = Self.findLink(.bytes(token), .number(purpose.rawValue))
    return try session.first(statement) { (row) throws(StoreError) in
      (try Member(row), try Self.proof(row, from: 9, of: nil))
    }
  }

  /// A hash that no code has.
  private static let noHash = [UInt8](repeating: 0, count: 32)

  /// Stores a confirmation, which ends a bounce of the address.
  private func subscribe(
    _ member: Member, _ membership: Membership, by means: ConsentMeans, _ proof: Proof,
    _ request: MembershipRequest
  ) throws(StoreError) -> Bool {
    var changes = member.writing(membership, by: .owner, at: request.time)
    changes.append(recording("confirmed", by: means, of: member.id, proof, request).1)
    if let fields = proof.fields {
      changes.append(Self.writeFields(.number(member.id), .text(fields)))
    }
    changes += StoredSuppressions.confirming(keys.suppressions(ofKey: member.key))
    let domain = member.validated.flatMap(keys.countedDomain)
    let isStored = try session.change(changes + MailHours.confirming(domain, at: request.time))
    // Room for held mails.
    if isStored { mailsMayBeDue = true }
    return isStored
  }

  /// Reads the subscriber who made a sign-up.
  private func requester(of id: ExecutionID) throws(StoreError) -> Member? {
    try session.first(Self.findRequester(.bytes(id.bytes))) { (row) throws(StoreError) in
      try Member(row)
    }
  }

  /// Counts a try and reads the code.
  private func tryCode(
    of subscriber: Int64, _ id: ExecutionID
  ) throws(StoreError) -> (proof: Proof, hash: [UInt8]?, tries: Int64) {
    let code = try session.first(Self.tryCode(.number(subscriber))) { (row) throws(StoreError) in
      (
        proof: try Self.proof(row, from: 2, of: id), hash: row.bytes(0),
        tries: row.number(1) ?? .max
      )
    }
    guard var code else { throw .damaged }
    let request = try session.first(Self.findRequest(.bytes(code.proof.consentID))) { row in
      (next: row.text(0), fields: row.text(1))
    }
    code.proof.next = request?.next
    code.proof.fields = request?.fields
    return code
  }

  /// Reads a proof from five columns, and of a link from three more.
  ///
  /// - Parameter execution: The sign-up of a code, which need not have a mail; `nil` for a link.
  private static func proof(
    _ row: any ListRow, from column: Int32, of execution: ExecutionID?
  ) throws(StoreError) -> Proof {
    Proof(
      consentID: try row.required(row.bytes(column) ?? execution?.bytes),
      madeAt: try row.required(row.time(column + 1) ?? (execution == nil ? nil : .distantPast)),
      expiresAt: row.time(column + 2), messageID: row.text(column + 3),
      wording: row.bytes(column + 4), next: execution == nil ? row.text(column + 5) : nil,
      fields: execution == nil ? row.text(column + 7) : nil,
      usedAt: execution == nil ? row.time(column + 6) : nil)
  }

  private static let findLink = Statement(
    """
    SELECT \(Member.columns), t.consent_id, t.made_at, t.expires_at, t.message_id, t.wording, c.next,
      t.used_at, c.fields
      FROM enlist.tokens t JOIN enlist.subscribers s ON s.id = t.subscriber_id
        LEFT JOIN enlist.consents c ON c.id = t.consent_id
      WHERE t.hash = ?1 AND t.purpose = ?2
    """
  )
  private static let findRequester = Statement(
    """
    SELECT \(Member.columns) FROM enlist.consents c
      JOIN enlist.subscribers s ON s.id = c.subscriber_id WHERE c.id = ?1 AND c.kind = 'requested'
    """
  )
  private static let tryCode = Statement(
    """
    INSERT INTO enlist.codes AS k (subscriber_id, tries) VALUES (?1, 1)
      ON CONFLICT (subscriber_id) DO UPDATE SET tries = k.tries + 1
      RETURNING hash, tries, consent_id, made_at, expires_at, message_id, wording
    """
  )
  private static let findRequest = Statement(
    "SELECT next, fields FROM enlist.consents WHERE id = ?1")
  private static let writeFields = Statement(
    "UPDATE enlist.subscribers SET fields = ?2 WHERE id = ?1")
}

extension ListWriter {
  /// Removes a person from the list by a link, which never expires.
  ///
  /// A person who has been erased since an export has ``LeaveResult/already`` left.
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

  /// Requests a new link to confirm by means of an old one, like a sign-up by the owner; stores
  /// nothing if the same link has requested one within ``Membership/renewalPause``.
  ///
  /// The state does not change. The mail is that of ``Membership/renewal``; its budget applies.
  ///
  /// - Returns: Whether the old link is known.
  package func renew(
    _ token: [UInt8], _ request: MembershipRequest
  ) throws(StoreError) -> Bool {
    guard let (member, proof) = try link(token, for: .confirm) else { return false }
    let earliest = request.time.adding(.zero - Membership.renewalPause)
    if let usedAt = proof.usedAt, usedAt > earliest { return true }
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
    return true
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
