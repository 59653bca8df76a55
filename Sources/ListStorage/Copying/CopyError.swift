package import MailingList

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
