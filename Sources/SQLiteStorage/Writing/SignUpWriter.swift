internal import EmailAddresses
internal import MailingList
internal import Security

/// The outcome of a transaction.
enum BatchOutcome: Sendable {
  /// The transaction is durable, except for the sign-ups and changes at the failed indices; the
  /// indices of changes follow those of sign-ups.
  case committed(failures: [Int: StoreError])
  /// Nothing was stored.
  case failed(StoreError)
}

/// A writer that stores many sign-ups in one transaction.
///
/// The same statements run for every state of a subscriber, and all but the first write a row, so
/// that the response time discloses as little as possible about the addresses on the list.
// @unchecked Sendable because it is created before the writer's thread, and only that thread uses
// it afterwards.
final class SignUpWriter: @unchecked Sendable {
  private let begin: PreparedStatement
  private let commit: PreparedStatement
  private let rollback: PreparedStatement
  private let savepoint: PreparedStatement
  private let release: PreparedStatement
  private let rollbackToSavepoint: PreparedStatement
  private let find: PreparedStatement
  private let findWithSuppression: PreparedStatement
  private let findAnySuppression: PreparedStatement
  private let findMailbox: PreparedStatement
  private let insert: PreparedStatement
  private let update: PreparedStatement
  private let consent: PreparedStatement
  private let event: PreparedStatement
  private let outbox: PreparedStatement
  private let touch: PreparedStatement
  private let db: SQLiteConnection
  private let changes: ChangeWriter
  private let keys: MailKeys
  private let optIn: OptIn
  private var random: RandomPool
  /// The id of the next subscriber, as determined for the open transaction.
  private var nextID: Int64
  /// Whether an unknown address may be suppressed, as determined for the open transaction.
  private var hasSuppressions = true

  init(_ db: SQLiteConnection, keys: MailKeys, optIn: OptIn, relayLock: RelayLock?) throws {
    self.db = db
    self.keys = keys
    self.optIn = optIn
    random = RandomPool()
    changes = ChangeWriter(db, keys: keys, optIn: optIn, relayLock: relayLock, random: random)
    begin = try PreparedStatement("BEGIN IMMEDIATE", in: db)
    commit = try PreparedStatement("COMMIT", in: db)
    rollback = try PreparedStatement("ROLLBACK", in: db)
    savepoint = try PreparedStatement("SAVEPOINT sign_up", in: db)
    release = try PreparedStatement("RELEASE sign_up", in: db)
    rollbackToSavepoint = try PreparedStatement("ROLLBACK TO sign_up", in: db)
    find = try PreparedStatement(Self.findSQL, in: db)
    findWithSuppression = try PreparedStatement(Self.findWithSuppressionSQL, in: db)
    findAnySuppression = try PreparedStatement("SELECT 1 FROM suppressions LIMIT 1", in: db)
    findMailbox = try PreparedStatement(Self.findMailboxSQL, in: db)
    insert = try PreparedStatement(Self.insertSQL, in: db)
    update = try PreparedStatement(Self.updateSQL, in: db)
    consent = try PreparedStatement(Self.consentSQL, in: db)
    event = try PreparedStatement(Self.eventSQL, in: db)
    outbox = try PreparedStatement(ListWriter.insertMail.sqlite ?? "", in: db)
    touch = try PreparedStatement("UPDATE store_probe SET at = ?1 WHERE id = 1", in: db)
    nextID = try Queries.nextSubscriberID(in: db)
  }

  /// Whether the last transaction has queued a mail or its substitute row.
  ///
  /// Both are announced and both lead to a claim, so that the time of the next sign-up discloses
  /// less about this one.
  var mailsMayBeDue: Bool { changes.progress.mailsMayBeDue }

  /// Stores sign-ups, then makes changes, in one transaction.
  ///
  /// The first attempt uses no savepoints, because a savepoint costs as much as a statement. If a
  /// sign-up fails, the transaction is rolled back and repeated with a savepoint for each sign-up,
  /// so that only the failing one is omitted.
  func store(_ batch: WriteBatch) -> BatchOutcome {
    changes.progress = ChangeWriter.Progress()
    do throws(StoreError) {
      if try storeTogether(batch) {
        changes.committed()
        return .committed(failures: [:])
      }
      changes.progress = ChangeWriter.Progress()
      let failures = try storeOneByOne(batch)
      changes.committed()
      return .committed(failures: failures)
    } catch {
      undo()
      return .failed(error)
    }
  }

  /// Writes a row without data, to check whether the database accepts writes.
  func probe() -> BatchOutcome {
    do throws(StoreError) {
      try begin.run()
      touch.bind(Timestamp.now.millisecondsSince1970, at: 1)
      try touch.run()
      try commit.run()
      return .committed(failures: [:])
    } catch {
      undo()
      return .failed(error)
    }
  }

  /// Stores the whole batch, or nothing because a single sign-up or change failed; returns whether
  /// it was stored.
  ///
  /// - Throws: `StoreError` when the whole transaction failed.
  private func storeTogether(_ batch: WriteBatch) throws(StoreError) -> Bool {
    try prepare(for: batch)
    do throws(StoreError) {
      for request in batch.signUps { try add(request.signUp) }
      for change in batch.changes { try change.run(changes) }
    } catch {
      // On a full disk, SQLite rolls back the whole transaction; then no single sign-up is the
      // cause.
      guard db.isInTransaction else { throw error }
      try rollback.run()
      return false
    }
    try commit.run()
    return true
  }

  private func storeOneByOne(_ batch: WriteBatch) throws(StoreError) -> [Int: StoreError] {
    var failures: [Int: StoreError] = [:]
    try prepare(for: batch)
    for (index, request) in batch.signUps.enumerated() {
      failures[index] = try withSavepoint { () throws(StoreError) in try add(request.signUp) }
    }
    for (index, change) in batch.changes.enumerated() {
      let progress = changes.progress
      let error = try withSavepoint { () throws(StoreError) in try change.run(changes) }
      guard let error else { continue }
      // Only this change has been rolled back.
      changes.progress = progress
      failures[batch.signUps.count + index] = error
    }
    try commit.run()
    return failures
  }

  /// Runs a part of a transaction, and rolls it back if it fails; returns its error.
  ///
  /// - Throws: `StoreError` when the whole transaction failed.
  private func withSavepoint(
    _ body: () throws(StoreError) -> Void
  ) throws(StoreError) -> StoreError? {
    var failure: StoreError?
    try savepoint.run()
    do throws(StoreError) {
      try body()
    } catch {
      guard db.isInTransaction else { throw error }
      try rollbackToSavepoint.run()
      failure = error
    }
    try release.run()
    return failure
  }

  /// Begins a transaction, and determines the id of its first new subscriber and whether its
  /// sign-ups must look up suppressions.
  ///
  /// Another process, or a change, can add and delete subscribers between two transactions. Once
  /// for all sign-ups, because a subquery in each would cost an eighth of its instructions. With
  /// single opt-in, there are usually no suppressions, and looking them up would make each sign-up
  /// more expensive.
  private func prepare(for batch: WriteBatch) throws(StoreError) {
    try begin.run()
    guard !batch.signUps.isEmpty else { return }
    nextID = try Queries.nextSubscriberID(in: db)
    switch optIn {
    case .double: break
    case .single: hasSuppressions = try findAnySuppression.first { _ in true } ?? false
    }
  }

  /// Stores a sign-up: five statements with double opt-in, four with single opt-in, for every
  /// state of the subscriber.
  private func add(_ signUp: SignUp) throws(StoreError) {
    let hashes = hashes(for: signUp)
    let (found, before) = try membership(of: signUp.address, hashes)
    let (after, mail) = before.signUp(at: signUp.time, optIn: optIn)
    let subscriber: Int64
    if let found {
      subscriber = found
      try write(after, isChanged: after != before, of: found, at: signUp.time)
    } else {
      subscriber = nextID
      try addSubscriber(signUp, after)
      nextID += 1
    }
    let id = signUp.id.bytes
    try addConsent(signUp, id: id, of: subscriber)
    try addEvent(of: subscriber, after.state ?? .pending, at: signUp.time)
    guard let hashes, optIn == .double else { return }
    outbox.bind(mail == nil ? 0 : 1, at: 1)
    outbox.bind(signUp.time.millisecondsSince1970, at: 2)
    outbox.bind(MailID(at: signUp.time, using: &random).bytes, at: 3)
    outbox.bind(subscriber, at: 4)
    outbox.bind(id, at: 5)
    outbox.bind(mail?.rawValue ?? 0, at: 6)
    outbox.bind(hashes.mailbox, at: 7)
    try outbox.run()
    changes.progress.mailsMayBeDue = true
  }

  /// Returns the hashes of a sign-up, which usually contains them; `nil` if they are not needed.
  private func hashes(for signUp: SignUp) -> AddressHashes? {
    guard hasSuppressions else { return nil }
    return signUp.hashes ?? keys.hashes(of: signUp.address)
  }

  /// Finds the subscriber of an address, and the membership before the sign-up.
  ///
  /// An unknown address that is suppressed becomes a suppressed subscriber.
  private func membership(
    of address: EmailAddress, _ hashes: AddressHashes?
  ) throws(StoreError) -> (id: Int64?, Membership) {
    let find = hashes == nil ? find : findWithSuppression
    find.bind(address.key, at: 1)
    if let hashes {
      find.bind(hashes.suppression, at: 2)
      find.bind(hashes.previousSuppression, at: 3)
    }
    guard try find.next() else { return (nil, .none) }
    defer { find.reset() }
    if let id = find.number(0) { return (id, try find.membership(1)) }
    // Without hashes, every row has an id.
    let reason = find.number(7).flatMap(Suppression.init(rawValue:))
    let previous = find.number(9).flatMap(Suppression.init(rawValue:))
    let isPrevious = previous?.rawValue ?? 0 > reason?.rawValue ?? 0
    guard let reason = isPrevious ? previous : reason else {
      return (nil, try membership(ofMailbox: address))
    }
    let suppressed = Membership(
      state: .suppressed, suppression: reason, suppressedAt: find.time(isPrevious ? 10 : 8))
    return (nil, suppressed)
  }

  /// Finds the suppression of the mailbox of an unknown address that is another spelling of it.
  ///
  /// With double opt-in, the claim of the mail does.
  private func membership(ofMailbox address: EmailAddress) throws(StoreError) -> Membership {
    guard optIn == .single else { return .none }
    let hashes = keys.suppressions(of: address)
    guard hashes.mailbox != hashes.own else { return .none }
    for hash in hashes.mailbox {
      findMailbox.bind(hash, at: 1)
      guard try findMailbox.next() else { continue }
      defer { findMailbox.reset() }
      return Membership(
        state: .suppressed, suppression: findMailbox.number(0).flatMap(Suppression.init(rawValue:)),
        suppressedAt: findMailbox.time(1))
    }
    return .none
  }

  private func addSubscriber(_ signUp: SignUp, _ membership: Membership) throws(StoreError) {
    insert.bind(nextID, at: 1)
    insert.bind(signUp.time.millisecondsSince1970, at: 2)
    insert.bind(membership, at: 3)
    insert.bind(signUp.address.normalized, at: 9)
    insert.bind(signUp.address.key, at: 10)
    insert.bind(signUp.address.requiresSMTPUTF8 ? 1 : 0, at: 11)
    insert.bind(signUp.consent.locale, at: 12)
    insert.bind(optIn == .single ? signUp.consent.fields : nil, at: 13)
    try insert.run()
  }

  private func write(
    _ membership: Membership, isChanged: Bool, of subscriber: Int64, at time: Timestamp
  ) throws(StoreError) {
    update.bind(subscriber, at: 1)
    update.bind(time.millisecondsSince1970, at: 2)
    update.bind(membership, at: 3)
    update.bind(isChanged ? 1 : 0, at: 9)
    try update.run()
  }

  private func addConsent(_ signUp: SignUp, id: [UInt8], of subscriber: Int64) throws(StoreError) {
    consent.bind(subscriber, at: 1)
    consent.bind(id, at: 2)
    consent.bind(signUp.time.millisecondsSince1970, at: 3)
    consent.bind(signUp.consent, at: 4)
    consent.bind(signUp.consent.next, at: 10)
    consent.bind(signUp.consent.fields, at: 11)
    try consent.run()
  }

  private func addEvent(
    of subscriber: Int64, _ state: Subscriber.State, at time: Timestamp
  ) throws(StoreError) {
    event.bind(time.millisecondsSince1970, at: 1)
    event.bind(subscriber, at: 2)
    event.bind(state.rawValue, at: 3)
    try event.run()
  }

  /// Rolls back a transaction that a failure left open, so that the next one can begin.
  private func undo() {
    guard db.isInTransaction else { return }
    // A failed rollback is ignored, because the error of the transaction is reported. If the
    // transaction stays open, the next `BEGIN` fails, and this function runs again.
    _ = try? rollback.run()
  }

  /// Finds a subscriber; returns no row for an unknown address.
  private static let findSQL = """
    SELECT id, state, suppression, confirmed_at, unsubscribed_at, suppressed_at, rejections
    FROM subscribers WHERE address_key = ?1
    """

  /// Finds a subscriber, and the suppression of an unknown address under either secret; always
  /// returns one row.
  ///
  /// Two joins, because `IN (?2, ?3)` fills a temporary table for each sign-up.
  private static let findWithSuppressionSQL = """
    SELECT s.id, s.state, s.suppression, s.confirmed_at, s.unsubscribed_at, s.suppressed_at,
      s.rejections, x.reason, x.at, y.reason, y.at
    FROM (SELECT 1) LEFT JOIN subscribers s ON s.address_key = ?1
      LEFT JOIN suppressions x ON x.key_hash = ?2 LEFT JOIN suppressions y ON y.key_hash = ?3
    """

  /// Finds a suppression that holds for each spelling of a mailbox.
  private static let findMailboxSQL = """
    SELECT reason, at FROM suppressions WHERE key_hash = ?1
      AND reason \(Suppression.concernsMailbox)
    """

  private static let insertSQL = """
    INSERT INTO subscribers(
      id, created_at, updated_at, requested_at, state, suppression, confirmed_at, unsubscribed_at,
      suppressed_at, rejections, address, address_key, requires_smtputf8, locale,
      fields
    ) VALUES (?1, ?2, ?2, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
    """

  /// Updates a subscriber, even if only the time of the sign-up changes.
  ///
  /// The address of the first sign-up, its SMTPUTF8 flag and its locale do not change.
  private static let updateSQL = """
    UPDATE subscribers SET state = ?3, suppression = ?4, confirmed_at = ?5, unsubscribed_at = ?6,
      suppressed_at = ?7, rejections = ?8, updated_at = iif(?9, ?2, updated_at), requested_at = ?2
    WHERE id = ?1
    """

  private static let consentSQL = """
    INSERT INTO consents(
      subscriber_id, id, kind, at, text, source_url, origin, ip, user_agent, locale, next,
      fields
    ) VALUES (?1, ?2, 'requested', ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
    """

  private static let eventSQL = """
    INSERT INTO events(at, type, subscriber_id, state)
      VALUES (?1, \(ListEvent.Kind.requested.rawValue), ?2, ?3)
    """
}
