internal import EmailAddresses
internal import Glibc
internal import MailingList
internal import Services

/// An import of a file, in transactions between which the service stores its sign-ups.
struct ImportRun {
  /// The numbers of rows.
  struct Counts {
    var new = 0
    var changed = 0
    var known = 0
    /// Those who stay subscribed, because the file does not say that they left after they confirmed.
    var kept = 0
    var rejected = 0
    /// Subscribers whose file has no date of their consent.
    var withoutDate = 0
    /// People who are suppressed by the operator because the file's reason is not ours.
    var foreignReasons = 0
  }

  /// The maximum number of people in a transaction: a server locks a row of a table for each.
  private static let maximumBatch = 500
  /// The aim for the time of a transaction, during which sign-ups wait.
  private static let transactionTime = Duration.milliseconds(50)

  let mapping: ImportMapping
  let importer: ListCommands
  let isDryRun: Bool
  /// The rows of the people who are not imported.
  let rejected: RejectedRows

  private(set) var counts = Counts()
  private(set) var firstRejected: (line: Int, reason: String)?
  var batch: [(row: ImportRow, person: ImportedPerson)] = []
  var keys: Set<String> = []
  /// The hashes of the keys of all people who are new in this file; a dry run stores none of them.
  var seen: Set<Int> = []
  var batchSize = 100

  /// Imports all rows.
  ///
  /// - Parameter mayProceed: Called after each transaction; the import ends if it returns `false`.
  /// - Returns: Whether the file was read to its end.
  mutating func run(_ rows: inout ImportRows, mayProceed: (ImportRows) -> Bool) throws -> Bool {
    let now = Timestamp.now
    while let row = try rows.next() {
      let person: ImportedPerson
      do throws(ImportMapping.Rejection) {
        person = try mapping.person(row, at: now)
      } catch {
        try reject(row, error)
        continue
      }
      // A word for the state may have said the reason, as in `--map state=Status,bounced=hard_bounce`.
      if person.membership.suppression == .operator, mapping.hasForeignReason(row) {
        counts.foreignReasons += 1
      }
      // A second row of a person meets the result of the first.
      if batch.count >= batchSize || keys.contains(person.address.key) {
        try store(at: now)
        guard mayProceed(rows) else { return false }
      }
      keys.insert(person.address.key)
      batch.append((row, person))
    }
    try store(at: now)
    return true
  }

  private mutating func store(at now: Timestamp) throws {
    guard !batch.isEmpty else { return }
    let start = ContinuousClock.now
    // A second row of a new person needs no date to say that they have left: it is after the first.
    let people = batch.map { _, person in
      let isSecond = seen.contains(person.address.key.hashValue)
      return isSecond && person.membership.state == .unsubscribed && person.leftAt == nil
        ? Self.leaving(person, at: now.adding(.milliseconds(1))) : person
    }
    let results = try importer.store(people, at: now, onlyDeciding: isDryRun)
    let time = ContinuousClock.now - start
    try reportKept(zip(batch, results).filter { $1 == .known }.map(\.0), at: now)
    for ((row, person), result) in zip(batch, results) {
      switch result {
      case .new:
        let isFirst = seen.insert(person.address.key.hashValue).inserted
        if isFirst { counts.new += 1 } else { counts.known += 1 }
      case .changed: counts.changed += 1
      case .known: counts.known += 1
      case .suppressed: try reject(row, ImportMapping.Rejection(reason: "suppressed"))
      }
      let hasDate = person.consents.contains { $0.id.madeAt.millisecondsSince1970 > 0 }
      if !hasDate, person.membership.state == .subscribed { counts.withoutDate += 1 }
    }
    batch.removeAll(keepingCapacity: true)
    keys.removeAll(keepingCapacity: true)
    guard !isDryRun else { return }
    batchSize = time > Self.transactionTime ? batchSize / 2 : batchSize + batchSize / 4
    batchSize = min(max(batchSize, 10), Self.maximumBatch)
    // Sign-ups that have waited are stored before the next transaction begins.
    let pause = min(time / 2, Self.transactionTime)
    usleep(UInt32(clamping: pause.components.attoseconds / 1_000_000_000_000))
  }

  private mutating func reject(_ row: ImportRow, _ rejection: ImportMapping.Rejection) throws {
    counts.rejected += 1
    firstRejected = firstRejected ?? (row.line, rejection.reason)
    try rejected.append(row, rejection)
  }

  private static func leaving(_ person: ImportedPerson, at time: Timestamp) -> ImportedPerson {
    ImportedPerson(
      address: person.address, membership: person.membership, leftAt: time, locale: person.locale,
      createdAt: person.createdAt, fields: person.fields, consents: person.consents)
  }

  /// Counts those of whom the file says that they have left, and who would leave the list if it had
  /// a later date; the rejected rows have theirs, although they are not rejected.
  private mutating func reportKept(
    _ known: [(row: ImportRow, person: ImportedPerson)], at now: Timestamp
  ) throws {
    let leavers = known.filter { $0.person.membership.state == .unsubscribed }
    guard !leavers.isEmpty else { return }
    let people = leavers.map { Self.leaving($0.person, at: .distantFuture) }
    let results = try importer.store(people, at: now, onlyDeciding: true)
    for (leaver, result) in zip(leavers, results) where result == .changed {
      counts.kept += 1
      counts.known -= 1
      try rejected.append(leaver.row, ImportMapping.Rejection(reason: "still-subscribed"))
    }
  }
}
