internal import Glibc

/// The attributes of a file, as reported by the file system.
struct FileStatus: Sendable {
  /// The identity of the file.
  let identity: FileIdentity
  /// The size of the file in bytes.
  let byteCount: Int
  /// The permission bits, without the file type.
  let permissions: UInt32
  /// Whether the file is a regular file.
  let isRegular: Bool
  /// The number of names (hard links) of the file.
  let linkCount: Int
  /// The user who owns the file.
  let userID: UInt32
  /// The group of the file.
  let groupID: UInt32

  /// Reads the status of the file that a path names; the corresponding C function is `stat`.
  ///
  /// - Parameter path: The path; symbolic links are followed. The result is `nil` if no file
  ///   exists.
  init?(at path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    identity = FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    byteCount = Int(status.st_size)
    permissions = UInt32(status.st_mode) & 0o7777
    isRegular = UInt32(status.st_mode) & UInt32(S_IFMT) == UInt32(S_IFREG)
    linkCount = Int(status.st_nlink)
    userID = status.st_uid
    groupID = status.st_gid
  }
}
