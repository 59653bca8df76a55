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

  /// Identifies the file that a path names; see ``FileVersion/init(at:readingTime:)``.
  ///
  /// - Parameter path: The path; symbolic links are followed. The result is `nil` if no file
  ///   exists.
  init?(at path: String) {
    guard let version = FileVersion(at: path) else { return nil }
    self = version.identity
  }
}
