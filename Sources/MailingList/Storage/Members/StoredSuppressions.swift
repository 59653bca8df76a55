/// The keyed hashes by which the suppressions of an address are found: one for each secret, and new
/// ones are stored with the first.
///
/// A complaint, an objection and the operator's decision concern a person: they are stored for the
/// mailbox, and hold for all its spellings, as mails are counted. A bounce and the trace of an
/// erasure concern one spelling. Everything that is stored for a spelling holds for it.
package struct SuppressionHashes: Hashable, Sendable {
  /// The hashes of the address as it is spelled.
  package let own: [[UInt8]]
  /// The hashes of the mailbox; the same for most addresses.
  package let mailbox: [[UInt8]]
  /// The key of the one spelling whose own hashes are those of the mailbox.
  let mailboxKey: String

  /// All hashes, each once.
  var all: [[UInt8]] { mailbox == own ? own : mailbox + own }
}

/// The stored suppressions of some addresses, and their changes.
struct StoredSuppressions {
  typealias Row = (reason: Int64, at: Timestamp)

  /// The reason of a trace, which suppresses nothing: only what adds people rejects the address.
  private static let trace: Int64 = 5

  private let before: [[UInt8]: Row]
  private var rows: [[UInt8]: Row]
  private var changed: Set<[UInt8]> = []

  init(_ rows: [[UInt8]: Row]) {
    before = rows
    self.rows = rows
  }

  /// Returns the strongest suppression of an address, the first of equally strong ones.
  func strongest(of hashes: SuppressionHashes) -> (reason: Suppression, at: Timestamp)? {
    strongest(of: hashes.all) { hashes.own.contains($0) || $1.concernsMailbox }
  }

  /// Returns the strongest suppression that holds for each spelling of an address.
  func strongestOfMailbox(_ hashes: SuppressionHashes) -> (reason: Suppression, at: Timestamp)? {
    strongest(of: hashes.mailbox) { $1.concernsMailbox }
  }

  private func strongest(
    of hashes: [[UInt8]], where holds: ([UInt8], Suppression) -> Bool
  ) -> (reason: Suppression, at: Timestamp)? {
    var strongest: (reason: Suppression, at: Timestamp)?
    for hash in hashes {
      guard let row = rows[hash], let reason = Suppression(rawValue: row.reason),
        holds(hash, reason), reason.rawValue > strongest?.reason.rawValue ?? 0
      else { continue }
      strongest = (reason, row.at)
    }
    return strongest
  }

  /// Whether an address must not be added: it is suppressed, or has left a trace.
  func rejectsAdding(_ hashes: SuppressionHashes) -> Bool {
    hashes.own.contains { rows[$0] != nil } || strongestOfMailbox(hashes) != nil
  }

  /// Keeps a suppression of an address; returns whether no stored one is as strong.
  ///
  /// The strongest is stored under one hash of the secret in use, as the only row of the address,
  /// so that it remains when the previous secret is removed.
  mutating func keep(
    _ reason: Suppression, since time: Timestamp, of hashes: SuppressionHashes
  ) -> Bool {
    var kept = (reason: reason, at: time)
    let found = strongest(of: hashes)
    let isStronger = reason.rawValue > found?.reason.rawValue ?? 0
    if let found, !isStronger { kept = found }
    let isOfMailbox = kept.reason.concernsMailbox
    for hash in isOfMailbox ? hashes.all : hashes.own { write(nil, hash) }
    if let hash = (isOfMailbox ? hashes.mailbox : hashes.own).first {
      write((kept.reason.rawValue, kept.at), hash)
    }
    return isStronger
  }

  /// Keeps the suppression of a membership that concerns the whole mailbox, if it has one.
  mutating func keep(_ membership: Membership, at time: Timestamp, of hashes: SuppressionHashes) {
    guard let reason = membership.suppression, reason.concernsMailbox else { return }
    _ = keep(reason, since: membership.suppressedAt ?? time, of: hashes)
  }

  /// Leaves a trace of an address that is erased, unless something is stored for it.
  mutating func leaveTrace(of hashes: SuppressionHashes, at time: Timestamp) {
    guard let hash = hashes.own.first, rows[hash] == nil else { return }
    write((Self.trace, time), hash)
  }

  mutating func forget(_ hashes: SuppressionHashes) {
    for hash in hashes.all { write(nil, hash) }
  }

  private mutating func write(_ row: Row?, _ hash: [UInt8]) {
    rows[hash] = row
    changed.insert(hash)
  }

  /// The changes, which fail if another session has changed the same rows meanwhile.
  var changes: [BoundStatement] {
    changed.sorted { $0.lexicographicallyPrecedes($1) }.map { hash in
      guard let row = rows[hash] else { return Self.delete(.bytes(hash)) }
      let reason = before[hash]?.reason ?? 0
      return Self.write(.bytes(hash), .number(row.reason), .time(row.at), .number(reason)).required
    }
  }

  /// Returns a change that fails if an address, of which something is stored, is on the list.
  func checkingUnlisted(_ key: String, _ hashes: SuppressionHashes) -> BoundStatement {
    let hash = hashes.all.first { rows[$0] != nil }
    return Self.checkUnlisted(.bytes(hash), .text(key)).required
  }

  /// Returns the changes by which a confirmation ends a bounce, and deletes a trace.
  ///
  /// What concerns the mailbox stays: the link may be older, and of another spelling.
  static func confirming(_ hashes: SuppressionHashes) -> [BoundStatement] {
    hashes.own.map { confirm(.bytes($0)) }
  }

  private static let write = Statement(
    """
    INSERT INTO enlist.suppressions AS x (key_hash, reason, at) VALUES (?1, ?2, ?3)
      ON CONFLICT (key_hash) DO UPDATE SET reason = excluded.reason, at = excluded.at
        WHERE x.reason = ?4
    """
  )
  private static let delete = Statement("DELETE FROM enlist.suppressions WHERE key_hash = ?1")
  private static let confirm = Statement(
    """
    DELETE FROM enlist.suppressions WHERE key_hash = ?1
      AND reason IN (\(Suppression.hardBounce.rawValue), \(trace))
    """
  )
  private static let checkUnlisted = Statement(
    """
    UPDATE enlist.suppressions SET at = at WHERE key_hash = ?1
      AND NOT EXISTS (SELECT 1 FROM enlist.subscribers s WHERE s.address_key = ?2)
    """
  )
}

extension Suppression {
  /// Whether the suppression holds for each spelling of the mailbox.
  fileprivate var concernsMailbox: Bool { !endsWithConfirmation }

  /// The SQL condition of a reason that holds for each spelling of the mailbox.
  package static let concernsMailbox = "BETWEEN \(complaint.rawValue) AND \(objected.rawValue)"
}

extension ListReader {
  /// Reads what is stored for addresses.
  func suppressions(of hashes: [SuppressionHashes]) throws(StoreError) -> StoredSuppressions {
    let all = Array(Set(hashes.flatMap(\.all)))
    let statements = all.map { Self.findSuppression(.bytes($0)) }
    let found = try session.rows(ofEach: statements) { (row) throws(StoreError) in
      (reason: try row.required(row.number(0)), at: try row.required(row.time(1)))
    }
    var rows: [[UInt8]: StoredSuppressions.Row] = [:]
    for (hash, row) in zip(all, found) { rows[hash] = row.first }
    return StoredSuppressions(rows)
  }

  private static let findSuppression = Statement(
    "SELECT reason, at FROM enlist.suppressions WHERE key_hash = ?1")
}
