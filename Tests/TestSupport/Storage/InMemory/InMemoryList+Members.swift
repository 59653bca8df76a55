internal import EmailAddresses
internal import MailingList

extension InMemoryList {
  /// Returns what has become of the person of an execution.
  func membership(of id: ExecutionID, at now: Timestamp) -> ExecutionMembership? {
    guard id.isKnown(at: now), let consent = consents[id], consent.kind == "requested",
      let member = member(consent.subscriberID)
    else { return nil }
    let isSubscribed = member.membership.state == .subscribed
    return ExecutionMembership(
      subscriberID: member.id,
      confirmedAt: isSubscribed ? member.membership.confirmedAt : nil
    )
  }

  /// Returns what a link leads to.
  func lookUp(_ token: [UInt8], for purpose: LinkPurpose, at now: Timestamp) -> LinkStatus {
    guard let link = link(token, purpose), let member = member(link.subscriberID) else {
      return .unknown
    }
    return LinkStatus(
      of: purpose,
      madeAt: link.madeAt,
      expiresAt: link.expiresAt,
      membership: member.membership,
      at: now
    )
  }

  /// Confirms by a link.
  mutating func confirm(_ token: [UInt8], _ request: MembershipRequest) -> ConfirmationResult {
    guard let link = link(token, .confirm), let member = member(link.subscriberID) else {
      return .unknown
    }
    let confirmation = member.membership.confirm(
      at: request.time,
      linkMadeAt: link.madeAt,
      expiresAt: link.expiresAt
    )
    let confirmed = ConfirmedSubscriber(id: member.id, next: consents[link.consentID]?.next)
    switch confirmation {
    case .confirmed(let after):
      subscribe(member, after, by: link.consentID, request)
      return .confirmed(confirmed)
    case .already: return .already(confirmed)
    case .gone: return .gone
    }
  }

  /// Confirms by a code.
  mutating func confirm(
    code isCode: (_ hash: [UInt8], _ subscriber: Int64) -> Bool,
    of id: ExecutionID,
    _ request: MembershipRequest
  ) -> CodeResult {
    guard let execution = membership(of: id, at: request.time),
      let member = member(execution.subscriberID)
    else { return .unknown }
    codes[member.id, default: Code()].tries += 1
    guard let code = codes[member.id], let hash = code.hash, isCode(hash, member.id),
      code.tries <= MailCredentials.codeTries, code.expiresAt > request.time
    else { return .wrong }
    let next = code.consentID.flatMap { consents[$0]?.next }
    let confirmed = ConfirmedSubscriber(id: member.id, next: next)
    switch member.membership.confirm(at: request.time, proofMadeAt: code.madeAt) {
    case .confirmed(let after):
      subscribe(member, after, by: code.consentID, request)
      return .confirmed(confirmed)
    case .already: return .already(confirmed)
    case .gone: return .wrong
    }
  }

  /// Leaves by a link.
  mutating func leave(_ proof: LeaveProof, _ request: MembershipRequest) -> LeaveResult {
    let id: Int64
    switch proof {
    case .link(let token):
      guard let link = link(token, .unsubscribe) else { return .unknown }
      id = link.subscriberID
    case .subscriber(let subscriber, let createdAt):
      guard member(subscriber)?.createdAt == createdAt else { return .already }
      id = subscriber
    }
    guard let member = member(id) else { return .unknown }
    guard let after = member.membership.leave(at: request.time) else { return .already }
    set(after, of: member.id)
    record("withdrawn", of: member.id, next: nil, at: request.time)
    return .left
  }

  /// Requests a new link.
  mutating func renew(_ token: [UInt8], _ request: MembershipRequest) -> RenewalResult {
    guard let link = link(token, .confirm), let member = member(link.subscriberID) else {
      return .unknown
    }
    let before = request.time.adding(.zero - Membership.renewalPause)
    guard link.renewedAt ?? .distantPast <= before else { return .accepted }
    links[token]?.renewedAt = request.time
    let old = consents[link.consentID]
    let consent = record(
      "requested",
      of: member.id,
      next: old?.next,
      fields: old?.fields,
      at: request.time
    )
    if optIn == .double, let kind = member.membership.renewal {
      let locale = request.consent.locale
      queue(kind, to: member.id, consent: consent, locale: locale, at: request.time)
    }
    return .accepted
  }

  /// Suppresses an address.
  mutating func suppress(
    _ address: EmailAddress,
    _ reason: Suppression,
    at time: Timestamp
  ) -> SuppressionResult {
    if let id = id(of: address), let member = member(id) {
      guard let after = member.membership.suppress(reason, at: time) else { return .already }
      set(after, of: id)
      if reason == .complaint { count(MailCounts(complaints: 1), to: address, at: time) }
      return .suppressed
    }
    let key = Array(address.key.utf8)
    if let stored = suppressions[key], stored.reason.rawValue >= reason.rawValue { return .already }
    suppressions[key] = (reason, time)
    return .unlisted
  }

  private func link(_ token: [UInt8], _ purpose: LinkPurpose) -> Link? {
    links[token].flatMap { $0.purpose == purpose ? $0 : nil }
  }

  private mutating func subscribe(
    _ member: Member,
    _ membership: Membership,
    by consent: ExecutionID?,
    _ request: MembershipRequest
  ) {
    set(membership, of: member.id)
    if let fields = consent.flatMap({ consents[$0]?.fields }) { set(fields: fields, of: member.id) }
    suppressions[Array(member.address.key.utf8)] = nil
    record("confirmed", of: member.id, next: nil, at: request.time)
    countConfirmation(of: member.address, at: request.time)
  }

  @discardableResult
  private mutating func record(
    _ kind: String,
    of subscriber: Int64,
    next: String?,
    fields: String? = nil,
    at time: Timestamp
  ) -> ExecutionID {
    var generator = RandomNumbers()
    let id = ExecutionID(at: time, using: &generator)
    consents[id] = StoredConsent(
      id: id,
      subscriberID: subscriber,
      kind: kind,
      next: next,
      fields: fields
    )
    return id
  }
}
