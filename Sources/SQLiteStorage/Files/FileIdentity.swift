/// The identity of a file, which does not change when the file is renamed.
struct FileIdentity: Hashable, Sendable {
  /// The number of the file system.
  let device: UInt64
  /// The number of the file within the file system.
  let inode: UInt64

  init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }

  /// Identifies the file at a path, following symbolic links; `nil` if no file exists.
  ///
  /// See ``FileVersion/init(at:readingTime:)``.
  init?(at path: String) {
    guard let version = FileVersion(at: path) else { return nil }
    self = version.identity
  }
}
