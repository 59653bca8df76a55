/// A condition that the operator should know about.
package enum StoreWarning: Hashable, Sendable {
  /// Every user of the machine can read these files.
  case publiclyReadable(files: [String])
  /// The database has several names, and SQLite derives the names of its other files from the name
  /// that a program uses.
  case hardLinks(path: String, count: Int)
  /// The file system does not support locks, so a second service on the database is not detected.
  case noLock(reason: String)
  /// Locks on the file system may not hold for those who reach the files in another way.
  case sharedFileSystem(SharedFileSystem)
  /// The files of the open database have lost their names; the second path names a copy.
  case saved(path: String, copy: String)
  /// The log keeps growing because a checkpoint could not copy all of it into the database.
  case largeLog(path: String, byteCount: Int)
  /// Another program has changed the schema, so the next start fails.
  case schemaChanged(path: String, reason: String)
  /// The database is damaged, so the store rejects all writes.
  case damaged(path: String, reason: String)

  /// Whether the store has stopped working.
  package var isError: Bool {
    switch self {
    case .publiclyReadable, .hardLinks, .noLock, .sharedFileSystem, .saved, .largeLog,
      .schemaChanged:
      false
    case .damaged: true
    }
  }
}

extension StoreWarning: CustomStringConvertible {
  /// A sentence for the operator that names the problem and the remedy.
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
    case .sharedFileSystem(let system):
      """
      the database is on a file system of the kind \(system.rawValue), which may hide a second service \
      on the same files: together they would lose sign-ups; keep the database on a local disk
      """
    case .saved(let path, let copy):
      """
      the database \(path) was removed or replaced while the service was running; what it contained \
      is saved as \(copy); enlist restore puts it back
      """
    case .largeLog(let path, let byteCount):
      """
      the log \(path) has grown to \(byteCount / 1_048_576) MiB, because another program has been \
      reading the database for a long time; it shrinks when that program ends
      """
    case .schemaChanged(let path, let reason):
      """
      the schema of the database \(path) was changed: \(reason); until then, commands and the next \
      start of the service fail
      """
    case .damaged(let path, let reason):
      """
      the database \(path) is damaged: \(reason); nothing is stored any more: stop the service and \
      restore a backup
      """
    }
  }
}
