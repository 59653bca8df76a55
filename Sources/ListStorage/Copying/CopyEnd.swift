package import MailingList

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
