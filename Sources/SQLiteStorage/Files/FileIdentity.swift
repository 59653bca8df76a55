internal import Glibc

/// The identity of a file, which stays the same when it is renamed.
struct FileIdentity: Hashable, Sendable {
  /// The file system.
  let device: UInt64
  /// The number of the file within it.
  let inode: UInt64

  /// Identifies the file that a path names; the corresponding C function is `stat`.
  ///
  /// It opens nothing: closing any descriptor of a database would release the locks that SQLite holds
  /// on it in this process (<https://www.sqlite.org/howtocorrupt.html>).
  ///
  /// - Parameter path: The path; symbolic links are followed. `nil` when it names no file.
  init?(at path: String) {
    guard let status = FileStatus(at: path) else { return nil }
    self = status.identity
  }

  fileprivate init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }
}

/// What the file system reports about a file.
struct FileStatus: Sendable {
  /// Which file it is.
  let identity: FileIdentity
  /// Its size.
  let byteCount: Int
  /// Its permissions, without its type.
  let permissions: UInt32
  /// Whether it is a regular file.
  let isRegular: Bool
  /// How many names (hard links) it has.
  let linkCount: Int

  /// Reads the status of the file that a path names; the corresponding C function is `stat`.
  ///
  /// - Parameter path: The path; symbolic links are followed. `nil` when it names no file.
  init?(at path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    identity = FileIdentity(status)
    byteCount = Int(status.st_size)
    permissions = UInt32(status.st_mode) & 0o7777
    isRegular = UInt32(status.st_mode) & UInt32(S_IFMT) == UInt32(S_IFREG)
    linkCount = Int(status.st_nlink)
  }
}
