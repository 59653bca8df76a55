/// What a database is in a copy.
package enum CopyRole: Hashable, Sendable {
  /// It is read, in one transaction.
  case source
  /// It is written; without a schema it gets one.
  case target
}

/// A database that a list is copied from or to, and that no service uses meanwhile.
///
/// Its connections are closed when it is released.
package protocol CopyEnd: AnyObject {
  /// The database, for the operator.
  var location: String { get }

  /// Returns when the schema was created, by which a list is recognized; the unit is the database's.
  func createdAt() throws(StoreError) -> Int64

  /// Counts the rows of a table that are copied.
  func count(_ table: ListTable) throws(StoreError) -> Int

  /// Reads rows in the order of their keys.
  ///
  /// - Parameter key: The last key of the part before; `nil` reads the first part.
  /// - Returns: The rows; fewer than the maximum are the last ones.
  func part(of table: ListTable, after key: [UInt8]?) throws(StoreError) -> RowPart

  /// Returns the highest id that a subscriber has had.
  func lastID() throws(StoreError) -> Int64

  /// Reads how far a copy to this database has come.
  ///
  /// - Returns: The progress; `nil` if no copy is unfinished.
  func progress() throws(StoreError) -> CopyState?

  /// Begins a copy: from now on, nothing but a copy accepts the database. Deletes its secret.
  func begin(from source: String) throws(StoreError)

  /// Stores rows, and how far the copy has come, in one transaction.
  func store(_ part: RowPart, in table: ListTable) throws(StoreError)

  /// Ends a copy: from now on, a service accepts the database.
  ///
  /// - Parameter lastID: The highest id that a subscriber of the source has had; none is used
  ///   again.
  func finish(lastID: Int64) throws(StoreError)
}

/// How far an unfinished copy has come.
package struct CopyState: Hashable, Sendable {
  /// Identifies the source.
  package let source: String
  /// The last key that was stored of each table that has one, in the source's format.
  package let lastKeys: [String: [UInt8]]
  /// The number of rows that were stored.
  package let count: Int

  /// Makes a state.
  package init(source: String, lastKeys: [String: [UInt8]], count: Int) {
    self.source = source
    self.lastKeys = lastKeys
    self.count = count
  }
}
