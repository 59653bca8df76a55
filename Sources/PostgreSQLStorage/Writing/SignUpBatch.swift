internal import EmailAddresses
internal import ListStorage
internal import MailingList
internal import Secrets

/// Sign-ups of different people, as the parameters of `add_sign_ups`.
///
/// What is made here stays the same when the batch is sent again, so it is stored once.
struct SignUpBatch {
  /// A sign-up, and what is derived from it.
  struct Member {
    /// The sign-up.
    let queued: QueuedSignUp
    /// The id of the mail that it may cause.
    let mail: [UInt8]
    /// The keyed hashes of the address; the first one is the mailbox, which single opt-in lacks.
    let mailbox: [UInt8]?
    let suppressions: [[UInt8]]
  }

  /// The members, none with the key of another.
  let members: [Member]
  /// Whether the owners of the addresses have to confirm.
  let optIn: OptIn

  /// Makes a batch.
  init(
    _ signUps: [QueuedSignUp],
    optIn: OptIn,
    keys: MailKeys,
    random: inout PooledRandomNumberGenerator
  ) {
    self.optIn = optIn
    members = signUps.map { queued in
      let signUp = queued.signUp
      let hashes = signUp.hashes ?? keys.hashes(of: signUp.address)
      return Member(
        queued: queued,
        mail: MailID(at: signUp.time, using: &random).bytes,
        mailbox: optIn == .double ? hashes.mailbox : nil,
        suppressions: [hashes.suppression] + [hashes.previousSuppression].compactMap(\.self)
      )
    }
  }

  private init(_ members: some Sequence<Member>, optIn: OptIn) {
    self.members = Array(members)
    self.optIn = optIn
  }

  /// The batch in two halves.
  var halves: [SignUpBatch] {
    let middle = members.count / 2
    return [members[..<middle], members[middle...]].map { SignUpBatch($0, optIn: optIn) }
  }

  /// Each member as a batch.
  var singles: [SignUpBatch] { members.map { SignUpBatch([$0], optIn: optIn) } }

  /// Makes the statement that stores the batch.
  ///
  /// - Parameter again: Whether it may have been stored before.
  /// - Returns: The statement; its result has a truth value for each member.
  func query(again: Bool) -> Query {
    var query = Query(Self.sql)
    query.bind(again)
    query.bind(optIn == .double)
    bind(&query) { $0.queued.signUp.id.bytes }
    bind(&query) { $0.queued.signUp.time }
    bind(&query) { $0.queued.signUp.address.normalized }
    bind(&query) { $0.queued.signUp.address.key }
    bind(&query) { $0.suppressions.first }
    bind(&query) { $0.suppressions.dropFirst().first }
    bind(&query) { $0.queued.signUp.address.requiresSMTPUTF8 }
    bind(&query) { $0.queued.signUp.consent.locale }
    bind(&query) { $0.queued.signUp.consent.text }
    bind(&query) { $0.queued.signUp.consent.sourceURL }
    bind(&query) { $0.queued.signUp.consent.origin }
    bind(&query) { $0.queued.signUp.consent.clientAddress }
    bind(&query) { $0.queued.signUp.consent.userAgent }
    bind(&query) { $0.queued.signUp.consent.next }
    bind(&query) { $0.queued.signUp.consent.fields }
    bind(&query) { $0.mail }
    bind(&query) { $0.mailbox }
    return query
  }

  private static let sql: String = {
    let places = (1...19).map { "$\($0)" }.joined(separator: ", ")
    return "SELECT enlist.add_sign_ups(\(places))"
  }()

  private func bind<Value: WireValue>(_ query: inout Query, _ value: (Member) -> Value?) {
    query.bind(array: members.map(value))
  }
}
