internal import EmailAddresses
internal import ListStorage
internal import MailingList
internal import Secrets

/// Sign-ups of different people, as the parameters of `add_sign_ups`.
///
/// A repeated batch has the same parameters, so it is stored only once.
struct SignUpBatch {
  /// A sign-up, and its derived values.
  struct Member {
    let queued: QueuedSignUp
    /// The id of the possible mail.
    let mail: [UInt8]
    /// The keyed hash of the mailbox; `nil` with single opt-in.
    let mailbox: [UInt8]?
    /// The keyed hashes of the address for suppressions; a second one belongs to the previous
    /// secret.
    let suppressions: [[UInt8]]
  }

  /// The members; all keys differ.
  let members: [Member]
  /// Whether the owners of the addresses must confirm.
  let optIn: OptIn

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

  /// The members as batches of one.
  var singles: [SignUpBatch] { members.map { SignUpBatch([$0], optIn: optIn) } }

  /// Returns the statement that stores the batch; its result contains a Boolean for each member.
  ///
  /// - Parameter again: Whether the batch may already have been stored.
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
