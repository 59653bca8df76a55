internal import MailingList
internal import Secrets

extension ChangeWriter {
  func confirm(
    _ token: [UInt8],
    _ request: MembershipRequest
  ) throws(StoreError) -> ConfirmationResult {
    guard let proof = try proof(token, for: .confirm),
      let member = try member(proof.subscriberID)
    else { return .unknown }
    let confirmation = member.membership.confirm(
      at: request.time,
      linkMadeAt: proof.madeAt,
      expiresAt: proof.expiresAt
    )
    switch confirmation {
    case .confirmed(let after):
      return .confirmed(try subscribe(member, after, by: .link, proof, request))
    case .already:
      return .already(
        ConfirmedSubscriber(id: member.id, next: try next(after: proof.consentID))
      )
    case .gone:
      return .gone
    }
  }

  /// Confirms a subscription by a code.
  ///
  /// The same statements run for every state of a subscriber, until the code is right.
  func confirm(
    code isCode: (_ hash: [UInt8], _ subscriber: Int64) -> Bool,
    of id: ExecutionID,
    _ request: MembershipRequest
  ) throws(StoreError) -> CodeResult {
    guard id.isKnown(at: request.time), let subscriberID = try subscriber(of: id),
      let member = try member(subscriberID)
    else { return .unknown }
    let (proof, hash, tries) = try tryCode(of: member.id, id)
    // The same work, even without a code.
    let isRight = isCode(hash ?? Self.noHash, member.id)
    guard hash != nil, isRight, tries <= MailCredentials.codeTries,
      let expiresAt = proof.expiresAt, expiresAt > request.time
    else { return .wrong }
    switch member.membership.confirm(at: request.time, proofMadeAt: proof.madeAt) {
    case .confirmed(let after):
      return .confirmed(try subscribe(member, after, by: .code, proof, request))
    case .already:
      return .already(
        ConfirmedSubscriber(id: member.id, next: try next(after: proof.consentID))
      )
    case .gone:
      return .wrong
    }
  }

  /// Reads a link; `nil` for an unknown one.
  func proof(_ token: [UInt8], for purpose: LinkPurpose) throws(StoreError) -> Proof? {
    let statement = try statements[
      """
      SELECT subscriber_id, consent_id, made_at, expires_at, message_id, wording FROM tokens
        WHERE hash = ?1 AND purpose = ?2
      """
    ]
    statement.bind(token, at: 1)
    statement.bind(purpose.rawValue, at: 2)
    return try statement.first { (row) throws(StoreError) in
      guard let subscriberID = row.number(0), let consentID = row.bytes(1),
        let madeAt = row.time(2)
      else { throw .damaged }
      return Proof(
        subscriberID: subscriberID,
        consentID: consentID,
        madeAt: madeAt,
        expiresAt: row.time(3),
        messageID: row.text(4),
        wording: row.bytes(5)
      )
    }
  }

  /// A hash that no code has.
  private static let noHash = [UInt8](repeating: 0, count: 32)

  /// Stores a confirmation, and ends a suppression of the address.
  private func subscribe(
    _ member: Member,
    _ membership: Membership,
    by means: ConsentMeans,
    _ proof: Proof,
    _ request: MembershipRequest
  ) throws(StoreError) -> ConfirmedSubscriber {
    try write(membership, of: member.id, at: request.time)
    try record(Evidence(kind: "confirmed", means: means, request: request, proof: proof))
    for hash in keys.suppressions(member.key) { try deleteSuppression(hash) }
    return ConfirmedSubscriber(id: member.id, next: try next(after: proof.consentID))
  }

  private func subscriber(of id: ExecutionID) throws(StoreError) -> Int64? {
    let statement = try statements[
      "SELECT subscriber_id FROM consents WHERE id = ?1 AND kind = 'requested'"
    ]
    statement.bind(id.bytes, at: 1)
    return try statement.first { row in row.number(0) } ?? nil
  }

  /// Counts a try and reads the code.
  private func tryCode(
    of subscriber: Int64,
    _ id: ExecutionID
  ) throws(StoreError) -> (proof: Proof, hash: [UInt8]?, tries: Int64) {
    let count = try statements[
      """
      INSERT INTO codes(subscriber_id, tries) VALUES (?1, 1)
        ON CONFLICT(subscriber_id) DO UPDATE SET tries = tries + 1
      """
    ]
    count.bind(subscriber, at: 1)
    try count.run()
    let statement = try statements[
      """
      SELECT hash, tries, made_at, expires_at, consent_id, message_id, wording FROM codes
        WHERE subscriber_id = ?1
      """
    ]
    statement.bind(subscriber, at: 1)
    let code = try statement.first { row in
      (
        Proof(
          subscriberID: subscriber,
          consentID: row.bytes(4) ?? id.bytes,
          madeAt: row.time(2) ?? .distantPast,
          expiresAt: row.time(3),
          messageID: row.text(5),
          wording: row.bytes(6)
        ),
        row.bytes(0),
        row.number(1) ?? .max
      )
    }
    guard let code else { throw .damaged }
    return code
  }
}
