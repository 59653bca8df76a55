/// A condition that the operator should know about and that does not keep the store from storing.
package enum StoreWarning: Hashable, Sendable {
  /// Every user of the machine can read these files.
  case publiclyReadable(files: [String])
  /// The database has several names; a service that uses another one is not noticed.
  case hardLinks(path: String, count: Int)
  /// The file system has no locks, so a second service on the database is not noticed.
  case noLock(reason: String)
  /// The log keeps growing: a checkpoint could not copy all of it into the database.
  case largeLog(path: String, byteCount: Int)
}

extension StoreWarning: CustomStringConvertible {
  /// One sentence for the operator: what is wrong, and what can be done about it.
  package var description: String {
    switch self {
    case .publiclyReadable(let files):
      """
      every user of this machine can read \(files.joined(separator: ", ")): the list is personal \
      data; remove that permission with chmod o-r
      """
    case .hardLinks(let path, let count):
      """
      the database \(path) has \(count) names (hard links): SQLite damages a database that is used \
      under two of them; keep copies, not links
      """
    case .noLock(let reason):
      """
      the file system of the database has no locks (\(reason)): a second service on the same \
      database would not be noticed
      """
    case .largeLog(let path, let byteCount):
      """
      the log \(path) has grown to \(byteCount / 1_048_576) MiB, because another program has been \
      reading the database for a long time; it shrinks when that program ends
      """
    }
  }
}
