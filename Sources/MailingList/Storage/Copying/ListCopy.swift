/// A copy of a whole list from one database to another, of any kind.
package struct ListCopy {
  /// A table with the same rows on both sides.
  package struct Table: Hashable, Sendable {
    package let name: String
    package let rows: RowSum
  }

  /// The progress of a copy.
  package enum Progress: Hashable, Sendable {
    /// Rows were stored in the target.
    case copied(Int, of: Int)
    /// Rows were read from both sides.
    case compared(Int, of: Int)
  }

  private let source: any CopyEnd
  private let target: any CopyEnd
  private let tables: [ListTable]

  package init(from source: any CopyEnd, to target: any CopyEnd, skipsOrphans: Bool = false) {
    self.source = source
    self.target = target
    tables = ListTable.all.map { skipsOrphans && $0 == .consents ? $0.withoutOrphans : $0 }
  }

  /// Counts the consents whose subscriber is not on the list.
  package func orphanCount() throws(CopyError) -> Int {
    guard let table = ListTable.consents else { return 0 }
    return try Self.on(source) { end throws(StoreError) in try end.count(table.onlyOrphans) }
  }

  /// Copies the remaining rows of all tables, then reads both sides completely and compares them.
  ///
  /// - Parameter proceed: Called after each part; returns `false` to end the copy.
  package func run(_ proceed: (Progress) -> Bool = { _ in true }) throws(CopyError) -> [Table] {
    let state = try begin()
    let total = try count(source)
    var done = state.count
    for table in tables {
      var key = state.lastKeys[table.name]
      while true {
        guard proceed(.copied(done, of: total)) else { throw .interrupted }
        let part = try Self.on(source) { end throws(StoreError) in
          try end.part(of: table, after: key)
        }
        guard part.sum.count > 0 else { break }
        do throws(CopyError) {
          try Self.on(target) { end throws(StoreError) in try end.store(part, in: table) }
        } catch {
          throw try orphan(in: table) ?? error
        }
        done += part.sum.count
        guard part.sum.count == RowPart.maximumCount else { break }
        key = part.lastKey
      }
    }
    let tables = try compare(of: total, proceed)
    let lastID = try Self.on(source) { end throws(StoreError) in try end.lastID() }
    try Self.on(target) { end throws(StoreError) in try end.finish(lastID: lastID) }
    return tables
  }

  /// Checks the target, and begins a copy unless it contains an unfinished one of the source.
  private func begin() throws(CopyError) -> CopyState {
    let identity = try Self.on(source) { end throws(StoreError) in
      // Of two lists that were created at the same moment, each has its own secret.
      "\(try end.createdAt())-\(try end.part(of: .secret, after: nil).sum.hash)"
    }
    if let state = try Self.on(target, { end throws(StoreError) in try end.progress() }) {
      guard state.source == identity else { throw .otherSource(location: target.location) }
      return state
    }
    // A service that was started once has created a secret, but has not used it for any subscriber.
    guard try count(target, besides: .secret) == 0 else {
      throw .notEmpty(location: target.location)
    }
    try Self.on(target) { end throws(StoreError) in try end.begin(from: identity) }
    return CopyState(source: identity, lastKeys: [:], count: 0)
  }

  private func compare(of total: Int, _ proceed: (Progress) -> Bool) throws(CopyError) -> [Table] {
    var compared: [Table] = []
    var done = 0
    for table in tables {
      var sums: [RowSum] = []
      for end in [source, target] {
        var sum = RowSum()
        var key: [UInt8]?
        while true {
          guard proceed(.compared(done / 2, of: total)) else { throw .interrupted }
          let part = try Self.on(end) { end throws(StoreError) in
            try end.part(of: table, after: key)
          }
          sum.add(part.sum)
          done += part.sum.count
          guard part.sum.count == RowPart.maximumCount else { break }
          key = part.lastKey
        }
        sums.append(sum)
      }
      guard sums[0] == sums[1] else {
        throw .differs(table: table.name, source: sums[0], target: sums[1])
      }
      compared.append(Table(name: table.name, rows: sums[0]))
    }
    return compared
  }

  /// Finds a row that the target may have rejected because its subscriber is not on the list.
  private func orphan(in table: ListTable) throws(CopyError) -> CopyError? {
    guard table == .consents else { return nil }
    let part = try Self.on(source) { end throws(StoreError) in
      try end.part(of: table.onlyOrphans, after: nil)
    }
    let field = part.bytes.withUnsafeBytes { bytes in
      var fields = RowFields(bytes)
      return (try? fields.next()).flatMap(\.self).map(Array.init)
    }
    guard let id = field else { return nil }
    let digits = id.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return .orphan(location: source.location, table: table.name, id: digits)
  }

  private func count(
    _ end: any CopyEnd, besides excluded: ListTable? = nil
  ) throws(CopyError) -> Int {
    try Self.on(end) { end throws(StoreError) in
      var count = 0
      for table in tables where table != excluded { count += try end.count(table) }
      return count
    }
  }

  private static func on<Value>(
    _ end: any CopyEnd, _ body: (any CopyEnd) throws(StoreError) -> Value
  ) throws(CopyError) -> Value {
    do throws(StoreError) {
      return try body(end)
    } catch {
      throw .failed(location: end.location, error)
    }
  }
}

/// The role of a database in a copy.
package enum CopyRole: Hashable, Sendable {
  /// The database is read, in one transaction.
  case source
  /// The database is written; its schema is created if it has none.
  case target
}

/// A database that is the source or the target of a copy, and that no service uses meanwhile.
///
/// Its connections are closed when it is released.
package protocol CopyEnd: AnyObject {
  /// The database's name for the operator.
  var location: String { get }

  /// Returns the creation time of the schema, in the database's own unit; it identifies the list.
  func createdAt() throws(StoreError) -> Int64

  /// Counts the rows of a table that belong to a copy.
  func count(_ table: ListTable) throws(StoreError) -> Int

  /// Reads rows in the order of their keys; fewer rows than the maximum are the last part.
  ///
  /// - Parameter key: The last key of the previous part; `nil` for the first part.
  func part(of table: ListTable, after key: [UInt8]?) throws(StoreError) -> RowPart

  /// Returns the highest id that any subscriber has had.
  func lastID() throws(StoreError) -> Int64

  /// Reads the progress of an unfinished copy to this database; `nil` if no copy is unfinished.
  func progress() throws(StoreError) -> CopyState?

  /// Begins a copy and deletes the secret: from now on, only a copy accepts the database.
  func begin(from source: String) throws(StoreError)

  /// Stores rows and the progress of the copy, in one transaction.
  func store(_ part: RowPart, in table: ListTable) throws(StoreError)

  /// Ends a copy: from now on, a service accepts the database.
  ///
  /// Ids of subscribers up to `lastID`, the highest one of the source, are never used again.
  func finish(lastID: Int64) throws(StoreError)
}

/// The progress of an unfinished copy.
package struct CopyState: Hashable, Sendable {
  /// Identifies the source.
  package let source: String
  /// The last stored key of each table that has rows, in the source's format.
  package let lastKeys: [String: [UInt8]]
  /// The number of stored rows.
  package let count: Int

  package init(source: String, lastKeys: [String: [UInt8]], count: Int) {
    self.source = source
    self.lastKeys = lastKeys
    self.count = count
  }
}

/// The reason why a list was not copied; its description is for the operator.
package enum CopyError: Error, Hashable, Sendable {
  /// The target contains a list.
  case notEmpty(location: String)
  /// The target contains an unfinished copy of another list.
  case otherSource(location: String)
  /// Reading or writing failed; the copy can be resumed.
  case failed(location: String, StoreError)
  /// Both sides were read completely, and a table differs.
  case differs(table: String, source: RowSum, target: RowSum)
  /// A row of the source belongs to a subscriber that is not on the list; its id has hexadecimal
  /// digits.
  case orphan(location: String, table: String, id: String)
  /// The operator interrupted the copy, which can be resumed.
  case interrupted
}

extension CopyError: CustomStringConvertible {
  /// A message with the problem and its remedy.
  package var description: String {
    switch self {
    case .notEmpty(let location):
      "The target (\(location)) is not empty; copy to a new database."
    case .otherSource(let location):
      """
      The target (\(location)) contains an unfinished copy of another list; copy that one, or to a \
      new database.
      """
    case .failed(let location, let error):
      """
      Cannot copy the list: \(error) (\(location)). What is copied stays; run the same command \
      again.
      """
    case .differs(let table, let source, let target):
      """
      The copy differs from the list: \(table) has \(source) in the source, but \(target) in the \
      target. One of them has changed since the copy began; copy to a new database.
      """
    case .orphan(let location, let table, let id):
      """
      Cannot copy the list: the row of \(table) with the id \(id) belongs to a subscriber that is \
      not on the list (\(location)). Run the same command with --skip-orphans to leave such rows \
      out, or delete them.
      """
    case .interrupted:
      "interrupted; what is copied stays, and the same command resumes"
    }
  }
}
