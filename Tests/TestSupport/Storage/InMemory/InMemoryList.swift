internal import EmailAddresses
internal import MailingList

/// The content of an in-memory store and its outbox.
struct InMemoryList {
  /// A subscriber.
  struct Member {
    let id: Int64
    let address: EmailAddress
    let requestedLocale: String?
    let createdAt: Timestamp
    var membership: Membership
    var fields: String?

    /// The subscriber as a reader sees it.
    var subscriber: Subscriber? {
      membership.state.map { state in
        Subscriber(
          id: id,
          address: address.normalized,
          state: state,
          locale: requestedLocale,
          createdAt: createdAt,
          confirmedAt: membership.confirmedAt,
          unsubscribedAt: membership.unsubscribedAt,
          fields: fields
        )
      }
    }
  }

  /// A consent; those of sign-ups can be read by their ids.
  struct StoredConsent {
    let id: ExecutionID
    let subscriberID: Int64
    let kind: String
    let next: String?
    let fields: String?
  }

  /// A mail that waits.
  struct Row {
    let id: MailID
    let kind: MailKind
    let subscriberID: Int64
    let consentID: ExecutionID
    let locale: String?
    let createdAt: Timestamp
    var dueAt: Timestamp
    var grantedAt: Timestamp?
    var attempts = 0
    var isLeased = false
    var isHeld = false

    /// Whether the mail waits behind those that were never tried.
    var waitsBehind: Bool { attempts > 0 && !isLeased }
  }

  /// A link in a mail.
  struct Link {
    let purpose: LinkPurpose
    let subscriberID: Int64
    let consentID: ExecutionID
    let madeAt: Timestamp
    let expiresAt: Timestamp?
    /// When it last requested a new link.
    var renewedAt: Timestamp?
  }

  /// A code in a mail; without a hash, only tries are counted.
  struct Code {
    var hash: [UInt8]?
    var madeAt = Timestamp.distantPast
    var expiresAt = Timestamp.distantPast
    var consentID: ExecutionID?
    var tries = 0
  }

  let optIn: OptIn
  /// The members in the order of their ids; an id is an index plus one.
  private(set) var members: [Member] = []
  /// The indices, keyed by the bytes of the address key, because `String` compares by canonical
  /// equivalence.
  private var positions: [[UInt8]: Int] = [:]
  var consents: [ExecutionID: StoredConsent] = [:]
  var suppressions: [[UInt8]: (reason: Suppression, at: Timestamp)] = [:]
  var rows: [Row] = []
  var mailboxes: [[UInt8]: MailboxHistory] = [:]
  var credentials: [MailID: MailCredentials] = [:]
  var links: [[UInt8]: Link] = [:]
  var codes: [Int64: Code] = [:]
  var counted: [Counted] = []
  /// The hour of the last alarm about a spent budget.
  var alarmHour: Int64?

  /// Creates an empty list.
  ///
  /// - Parameter optIn: Whether sign-ups have to be confirmed.
  init(optIn: OptIn) {
    self.optIn = optIn
  }

  /// Returns the id of an address, if it is on the list.
  func id(of address: EmailAddress) -> Int64? {
    positions[Array(address.key.utf8)].map { Int64($0 + 1) }
  }

  /// Returns a member, if there is one.
  func member(_ id: Int64) -> Member? {
    members.indices.contains(Int(id - 1)) ? members[Int(id - 1)] : nil
  }

  /// Sets the membership of a member.
  mutating func set(_ membership: Membership, of id: Int64) {
    guard members.indices.contains(Int(id - 1)) else { return }
    members[Int(id - 1)].membership = membership
  }

  /// Sets the fields of a member.
  mutating func set(fields: String, of id: Int64) {
    members[Int(id - 1)].fields = fields
  }

  /// Adds a member, or changes its membership.
  ///
  /// - Returns: The id of the member.
  mutating func put(
    _ address: EmailAddress,
    _ membership: Membership,
    locale: String?,
    at time: Timestamp
  ) -> Int64 {
    if let id = id(of: address) {
      set(membership, of: id)
      return id
    }
    let id = Int64(members.count + 1)
    positions[Array(address.key.utf8)] = members.count
    members.append(
      Member(
        id: id,
        address: address,
        requestedLocale: locale,
        createdAt: time,
        membership: membership
      )
    )
    return id
  }

  /// Stores a sign-up.
  ///
  /// - Returns: Whether it has queued a mail.
  /// - Throws: `StoreError` like that of a database when the id is stored already.
  mutating func add(_ signUp: SignUp) throws(StoreError) -> Bool {
    // 1555 is SQLITE_CONSTRAINT_PRIMARYKEY.
    guard consents[signUp.id] == nil else { throw .failed(code: 1555) }
    let before = membership(beforeSignUpOf: signUp.address)
    let (after, mail) = before.signUp(at: signUp.time, optIn: optIn)
    let isNew = self.id(of: signUp.address) == nil
    let id = put(signUp.address, after, locale: signUp.consent.locale, at: signUp.time)
    let fields = signUp.consent.fields
    if isNew, optIn == .single, let fields { set(fields: fields, of: id) }
    consents[signUp.id] = StoredConsent(
      id: signUp.id,
      subscriberID: id,
      kind: "requested",
      next: signUp.consent.next,
      fields: fields
    )
    guard let mail else { return false }
    queue(mail, to: id, consent: signUp.id, locale: signUp.consent.locale, at: signUp.time)
    return true
  }

  /// Queues a mail that is due immediately.
  mutating func queue(
    _ kind: MailKind,
    to subscriber: Int64,
    consent: ExecutionID,
    locale: String?,
    at time: Timestamp
  ) {
    var generator = RandomNumbers()
    rows.append(
      Row(
        id: MailID(at: time, using: &generator),
        kind: kind,
        subscriberID: subscriber,
        consentID: consent,
        locale: locale,
        createdAt: time,
        dueAt: time
      )
    )
  }

  private func membership(beforeSignUpOf address: EmailAddress) -> Membership {
    if let id = id(of: address) { return member(id)?.membership ?? .none }
    guard let suppression = suppressions[Array(address.key.utf8)] else { return .none }
    return Membership(
      state: .suppressed,
      suppression: suppression.reason,
      suppressedAt: suppression.at
    )
  }
}
