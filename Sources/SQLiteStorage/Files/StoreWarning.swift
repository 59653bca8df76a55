/// A condition that the operator should know about, but that does not stop the store from working.
package enum StoreWarning: Hashable, Sendable {
  /// Every user of the machine can read these files.
  case publiclyReadable(files: [String])
  /// The database has several names; a service that uses another one is not detected.
  case hardLinks(path: String, count: Int)
  /// The file system does not support locks, so a second service on the database is not detected.
  case noLock(reason: String)
  /// The log keeps growing because a checkpoint could not copy all of it into the database.
  case largeLog(path: String, byteCount: Int)
}

extension StoreWarning: CustomStringConvertible {
  /// A sentence for the operator with the problem and its remedy.
  package var description: String {
    switch self {
    case .publiclyReadable(let files):
      """
      every user of this machine can read \(files.joined(separator: ", ")): the list is personal \
      data; remove that permission with chmod o-r
      """
    case .hardLinks(let path, let count):
      """
      the database \(path) has \(count) names (hard links): using it under two of them damages it; \
      keep copies, not links
      """
    case .noLock(let reason):
      """
      the file system of the database does not support locks (\(reason)): a second service on the \
      same database would not be detected
      """
    case .largeLog(let path, let byteCount):
      """
      the log \(path) has grown to \(byteCount / 1_048_576) MiB, because another program has been \
      reading the database for a long time; it shrinks when that program ends
      """
    }
  }
}
