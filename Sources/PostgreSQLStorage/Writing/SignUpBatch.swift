internal import EmailAddresses
internal import MailingList
internal import Security

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
    /// The same of the mailbox of another spelling, with single opt-in; with double opt-in, the
    /// claim of the mail looks them up.
    let mailboxSuppressions: [[UInt8]]
  }

  /// The members; all keys differ.
  let members: [Member]
  /// Whether the owners of the addresses must confirm.
  let optIn: OptIn

  init(
    _ signUps: [QueuedSignUp], optIn: OptIn, keys: MailKeys,
    random: inout RandomPool
  ) {
    self.optIn = optIn
    members = signUps.map { queued in
      let signUp = queued.signUp
      let hashes = signUp.hashes ?? keys.hashes(of: signUp.address)
      let suppressions = optIn == .single ? keys.suppressions(of: signUp.address) : nil
      return Member(
        queued: queued, mail: MailID(at: signUp.time, using: &random).bytes,
        mailbox: optIn == .double ? hashes.mailbox : nil,
        suppressions: [hashes.suppression] + [hashes.previousSuppression].compactMap(\.self),
        mailboxSuppressions: suppressions.map { $0.mailbox == $0.own ? [] : $0.mailbox } ?? [])
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
    let hasOtherSpellings = members.contains { !$0.mailboxSuppressions.isEmpty }
    var query = Query(hasOtherSpellings ? Self.sqlForOtherSpellings : Self.sql)
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
    guard hasOtherSpellings else { return query }
    bind(&query) { $0.mailboxSuppressions.first }
    bind(&query) { $0.mailboxSuppressions.dropFirst().first }
    return query
  }

  private static let places = (1...19).map { "$\($0)" }
  private static let sql = "SELECT enlist.add_sign_ups(\(places.joined(separator: ", ")))"
  /// The hash of a suppressed mailbox replaces that of an address.
  private static let sqlForOtherSpellings: String = {
    var places = Self.places
    places[6] = """
      ARRAY(
        SELECT coalesce((
          SELECT x.key_hash FROM enlist.suppressions x
            WHERE x.key_hash IN (m.mailbox, m.previous) AND x.reason \(Suppression.concernsMailbox)
            LIMIT 1
        ), m.hash)
        FROM unnest($7::bytea[], $20::bytea[], $21::bytea[]) WITH ORDINALITY
          AS m(hash, mailbox, previous, n) ORDER BY n
      )
      """
    return "SELECT enlist.add_sign_ups(\(places.joined(separator: ", ")))"
  }()

  private func bind<Value: WireValue>(_ query: inout Query, _ value: (Member) -> Value?) {
    query.bind(array: members.map(value))
  }
}
