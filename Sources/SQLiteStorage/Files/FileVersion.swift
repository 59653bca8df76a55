internal import CStatx

/// The identity, size and time of a file, which show whether the file was replaced or changed.
struct FileVersion: Hashable, Sendable {
  let identity: FileIdentity
  /// The size of the file in bytes.
  let byteCount: Int
  /// The time of the last change in nanoseconds; 0 if it was not read.
  let modified: Int64

  /// Reads the version of the file at a path, following symbolic links; `nil` if no file exists.
  ///
  /// The corresponding system call is `statx`. The time is read only where it is needed: since
  /// Linux 6.13, the first write after reading a file's time records a precise time, which the next
  /// `fdatasync` may write, too. With two calls of `stat` for each commit, a sign-up waited for the
  /// disk once more, and took a tenth more CPU time.
  ///
  /// The file is not opened: closing any descriptor of a database would release the locks that
  /// SQLite holds on it in this process (<https://www.sqlite.org/howtocorrupt.html>).
  init?(at path: String, readingTime readsTime: Bool = false) {
    var file = cstatx_file()
    if cstatx_read(path, readsTime ? 1 : 0, &file) == 0 {
      identity = FileIdentity(device: file.device, inode: file.inode)
      byteCount = Int(file.byte_count)
      modified = file.modified
    } else {
      // Old kernels lack the call, and old container runtimes forbid it.
      guard let status = FileStatus(at: path) else { return nil }
      identity = status.identity
      byteCount = status.byteCount
      modified = 0
    }
  }
}
