internal import CStatx

/// The identity of a file, which does not change when the file is renamed.
struct FileIdentity: Hashable, Sendable {
  /// The file system.
  let device: UInt64
  /// The number of the file within the file system.
  let inode: UInt64

  /// Makes an identity from its parts.
  init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }

  /// Identifies the file that a path names; the corresponding system call is `statx`.
  ///
  /// Unlike `stat`, it reads no times: since Linux 6.13, the first write to a file whose time was
  /// read records a precise time, which the next `fdatasync` may write, too. With two calls of `stat`
  /// for each commit, a sign-up waited for the disk once more, and took a tenth more CPU time.
  ///
  /// The file is not opened: closing any descriptor of a database would release the locks that
  /// SQLite holds on it in this process (<https://www.sqlite.org/howtocorrupt.html>).
  ///
  /// - Parameter path: The path; symbolic links are followed. The result is `nil` if no file
  ///   exists.
  init?(at path: String) {
    var (device, inode): (UInt64, UInt64) = (0, 0)
    if cstatx_identify(path, &device, &inode) == 0 {
      self.init(device: device, inode: inode)
    } else {
      // Old kernels do not know the call, and old container runtimes forbid it.
      guard let status = FileStatus(at: path) else { return nil }
      self = status.identity
    }
  }
}
