internal import Glibc

/// The attributes of a file, as reported by the file system.
struct FileStatus: Sendable {
  let identity: FileIdentity
  /// The size of the file in bytes.
  let byteCount: Int
  /// The permission bits, without the file type.
  let permissions: UInt32
  let isRegular: Bool
  /// The number of names (hard links) of the file.
  let linkCount: Int
  let userID: UInt32
  let groupID: UInt32

  /// Reads the status of the file at a path, following symbolic links; `nil` if no file exists.
  ///
  /// The corresponding C function is `stat`.
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
