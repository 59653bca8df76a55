internal import EmailAddresses
package import MailingList
internal import SQLiteStorage
package import Security
internal import Signals
internal import Testing

extension ControlledStore {
  /// What a mail contains.
  package struct Mail {
    package let confirm: MailToken
    package let unsubscribe: MailToken
    package let code: ConfirmationCode

    /// A code that is not that of the mail.
    package var wrongCode: String { code.digits == "000000" ? "000001" : "000000" }
  }

  /// Returns the membership of the person with an address.
  package func membership(_ email: String) -> Membership? {
    let find = Statement("SELECT \(Self.columns) FROM enlist.subscribers WHERE address_key = ?1")
    // On the writer's thread, as reads wait for a thread while tests block theirs.
    return base.change { list throws(StoreError) in
      try list.session.first(find(.text(email))) { (row) throws(StoreError) in
        try row.membership(0)
      }
    }.blockingLast() ?? nil
  }

  /// Returns the consents of a kind.
  package func consents(_ kind: String) -> [RecordedConsent] {
    base.change { list throws(StoreError) in
      try ListReader(list.session)
        .consents(ofSubscribers: ListReader.subscriberIDs, after: nil, limit: 100)
    }.blockingLast()?.filter { $0.kind == kind } ?? []
  }

  /// Sets the membership of the person with an address, who need not have signed up.
  package func set(_ membership: Membership, of email: String) {
    _ = consent(of: email)
    change(
      """
      UPDATE enlist.subscribers SET (\(Self.columns)) = (?1, ?2, ?3, ?4, ?5, ?6)
        WHERE address_key = ?7
      """,
      .number(membership.state?.rawValue),
      .number(membership.suppression?.rawValue),
      .time(membership.confirmedAt),
      .time(membership.unsubscribedAt),
      .time(membership.suppressedAt),
      .number(Int64(membership.rejections)),
      .text(email)
    )
  }

  /// Sends the person with an address a mail, which no limit withholds, in the name of the latest
  /// sign-up.
  package func mail(_ email: String, at time: Timestamp) -> Mail {
    var generator = RandomNumbers()
    let id = MailID(at: time, using: &generator).bytes
    let mail = Mail(
      confirm: keys.token(.confirm, ofMail: id), unsubscribe: keys.token(.unsubscribe, ofMail: id),
      code: keys.code(ofMail: id))
    guard let (subscriber, consent) = consent(of: email) else { return mail }
    let confirmEnd = time.adding(ConfirmationLimits.linkLifetime)
    for (token, purpose, end) in [
      (mail.confirm, LinkPurpose.confirm, confirmEnd), (mail.unsubscribe, .unsubscribe, nil),
    ] {
      change(
        "INSERT INTO enlist.tokens VALUES (?1, ?2, ?3, ?4, ?5, ?6, NULL, '', x'')",
        .bytes(token.hash), .number(purpose.rawValue), .number(subscriber), .bytes(consent),
        .time(time), .time(end))
    }
    change(
      "INSERT OR REPLACE INTO enlist.codes VALUES (?1, ?2, ?3, ?4, 0, ?5, '', x'')",
      .number(subscriber), .bytes(keys.hash(of: mail.code, for: subscriber)), .time(time),
      .time(time.adding(ConfirmationLimits.codeLifetime)), .bytes(consent))
    return mail
  }

  private static let columns = """
    state, suppression, confirmed_at, unsubscribed_at, suppressed_at, rejections
    """

  /// Returns the subscriber with an address and the latest sign-up, which is now if there is none.
  private func consent(of email: String) -> (subscriber: Int64, id: [UInt8])? {
    let find = Statement(
      """
      SELECT s.id, max(c.id) FROM enlist.subscribers s
        JOIN enlist.consents c ON c.subscriber_id = s.id
        WHERE s.address_key = ?1 AND c.kind = 'requested' GROUP BY s.id
      """
    )
    let found = base.change { list throws(StoreError) in
      try list.session.first(find(.text(email))) { ($0.number(0), $0.bytes(1)) }
    }.blockingLast()
    if case .some(.some((let subscriber?, let id?))) = found { return (subscriber, id) }
    do {
      let signUp = try SignUp.sample(email, at: base.now().millisecondsSince1970)
      _ = base.add(signUp).blockingLast()
      return membership(email) == nil ? nil : consent(of: email)
    } catch {
      Issue.record(error)
      return nil
    }
  }

  /// Changes rows, at least one.
  package func change(_ sql: String, _ values: ListValue...) {
    let isMade = base.change { list throws(StoreError) in
      try list.session.change([Statement(sql)(values).required])
    }.blockingLast()
    #expect(isMade == true)
  }
}
