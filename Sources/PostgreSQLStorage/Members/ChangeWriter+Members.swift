internal import EmailAddresses
internal import MailingList
internal import Secrets

extension ChangeWriter {
  /// Confirms a subscription by a link.
  func confirm(
    _ token: [UInt8],
    _ request: MembershipRequest
  ) throws(PostgreSQLError) -> ConfirmationResult {
    guard let person = try person(of: token, for: .confirm) else { return .unknown }
    var query = Query("SELECT * FROM enlist.confirm_link($1, $2, $3, $4, $5)")
    query.bind(token)
    bind(request, to: &query)
    query.bind(array: keys.suppressions(person.key).map(Optional.some))
    let rows = try change(query)
    switch try rows.required(0, 0, as: Int16.self) {
    case 0: return .unknown
    case 1: return .gone
    case let number:
      let subscriber = ConfirmedSubscriber(
        id: try rows.required(0, 1),
        next: try rows.value(0, 2)
      )
      return number == 2 ? .already(subscriber) : .confirmed(subscriber)
    }
  }

  /// Confirms a subscription by a code.
  ///
  /// Every state of a subscriber leads to the same statements, until the code is right. The try is
  /// counted before the code is compared, for all replicas.
  func confirm(
    code isCode: (_ hash: [UInt8], _ subscriber: Int64) -> Bool,
    of id: ExecutionID,
    _ request: MembershipRequest
  ) throws(PostgreSQLError) -> CodeResult {
    guard id.isKnown(at: request.time) else { return .unknown }
    let tried = try change(Query("SELECT * FROM enlist.try_code($1)").binding(id.bytes))
    guard tried.count > 0 else { return .unknown }
    let subscriber = try tried.required(0, 0, as: Int64.self)
    let hash = try tried.value(0, 2, as: [UInt8].self)
    let tries = try tried.required(0, 3, as: Int32.self)
    // The same work without a code.
    let isRight = isCode(hash ?? Self.noHash, subscriber)
    guard let hash, isRight, tries <= MailCredentials.codeTries else { return .wrong }
    var query = Query("SELECT * FROM enlist.confirm_code($1, $2, $3, $4, $5, $6, $7)")
    query.bind(subscriber)
    query.bind(hash)
    query.bind(id.bytes)
    bind(request, to: &query)
    let key = try tried.required(0, 1, as: String.self)
    query.bind(array: keys.suppressions(key).map(Optional.some))
    let rows = try change(query)
    let number = try rows.required(0, 0, as: Int16.self)
    guard number > 1 else { return .wrong }
    let person = ConfirmedSubscriber(id: subscriber, next: try rows.value(0, 1))
    return number == 2 ? .already(person) : .confirmed(person)
  }

  /// Takes a person off the list by a link.
  func leave(
    _ token: [UInt8],
    by means: ConsentMeans,
    _ request: MembershipRequest
  ) throws(PostgreSQLError) -> LeaveResult {
    var query = Query("SELECT enlist.leave_list($1, $2, $3, $4, $5)")
    query.bind(token)
    query.bind(means.rawValue)
    bind(request, to: &query)
    return switch try change(query).required(0, 0, as: Int16.self) {
    case 0: .unknown
    case 1: .already
    default: .left
    }
  }

  /// Requests a new link by means of an old one.
  func renew(
    _ token: [UInt8],
    _ request: MembershipRequest
  ) throws(PostgreSQLError) -> RenewalResult {
    guard let person = try person(of: token, for: .confirm) else { return .unknown }
    let address = try? EmailAddress(validating: person.address, level: .test)
    var query = Query("SELECT enlist.renew_link($1, $2, $3, $4, $5, $6, $7, $8, $9)")
    query.bind(token)
    query.bind(optIn == .double)
    bind(request, to: &query)
    query.bind(mailID(at: request.time).bytes)
    query.bind(
      address.map(keys.mailbox(of:)) ?? keys.mailbox(person.key, hasSubaddress: false)
    )
    query.bind(address != nil)
    query.bind(request.time.adding(.zero - Membership.renewalPause))
    let number = try change(query).required(0, 0, as: Int16.self)
    hasNewMail = number == 2
    return number == 0 ? .unknown : .accepted
  }

  /// Suppresses an address.
  func suppress(
    _ address: EmailAddress,
    _ reason: Suppression,
    at time: Timestamp
  ) throws(PostgreSQLError) -> SuppressionResult {
    let query = Query("SELECT enlist.suppress_address($1, $2, $3, $4)")
      .binding(address.key)
      .binding(array: keys.suppressions(address.key).map(Optional.some))
      .binding(Int16(truncatingIfNeeded: reason.rawValue))
      .binding(time)
    return switch try change(query).required(0, 0, as: Int16.self) {
    case 0: .unlisted
    case 1: .suppressed
    default: .already
    }
  }

  /// A hash that no code has.
  private static let noHash = [UInt8](repeating: 0, count: 32)

  /// Reads whose link a token is.
  private func person(
    of token: [UInt8],
    for purpose: LinkPurpose
  ) throws(PostgreSQLError) -> (address: String, key: String)? {
    let query = Query("SELECT * FROM enlist.find_link($1, $2)").binding(token)
      .binding(Int16(truncatingIfNeeded: purpose.rawValue))
    let rows = try read(query)
    guard rows.count > 0 else { return nil }
    return (try rows.required(0, 0), try rows.required(0, 1))
  }

  /// Appends what is recorded of a request: a new id, the time, and the texts of the consent.
  private func bind(_ request: MembershipRequest, to query: inout Query) {
    query.bind(consentID(at: request.time).bytes)
    query.bind(request.time)
    let consent = request.consent
    query.bind(
      array: [
        consent.text, consent.sourceURL, consent.origin, consent.clientAddress, consent.userAgent,
        consent.locale,
      ]
    )
  }
}
