internal import FoundationEssentials
internal import Glibc

/// A file that replaces another one when it is complete.
///
/// Until then it is next to that file, under the hidden name `.NAME.enlist-partial`. A killed
/// process leaves it behind; the next process that creates such a file in the same folder removes
/// it. The lock of the file (`flock`) distinguishes an abandoned file from one that is being
/// written.
final class PartialFile {
  /// The end of the hidden name.
  private static let suffix = ".enlist-partial"

  /// The absolute path of the file while it is incomplete.
  let path: String
  /// The path of the file to be replaced.
  let target: String
  private let folder: String
  private let descriptor: Int32
  private var isPending = true

  /// Creates an empty file that only its owner can access, and removes the files that killed
  /// processes left in the same folder.
  ///
  /// - Throws: `BackupError`, also while another process is writing the same file.
  init(replacing target: String) throws(BackupError) {
    let (folder, name) = DatabaseFiles.split(DatabaseFiles.resolve(target))
    guard !name.isEmpty, name != ".", name != ".." else { throw .notAFile(path: target) }
    Self.removeAbandoned(in: folder)
    let path = "\(folder)/.\(name)\(Self.suffix)"
    descriptor = try Self.openLocked(path, for: target)
    self.path = path
    self.target = target
    self.folder = folder
  }

  deinit {
    if isPending { Self.unlinkWithJournal(path) }
    // Releases the lock.
    close(descriptor)
  }

  /// The size of the file so far, in bytes.
  var byteCount: Int { FileStatus(at: path)?.byteCount ?? 0 }

  /// Sets the owner to that of another file, which only root can do; `nil` keeps the owner.
  func setOwner(to status: FileStatus?) {
    guard geteuid() == 0, let status else { return }
    // If the owner is wrong, the service reports the problem at startup.
    _ = fchown(descriptor, status.userID, status.groupID)
  }

  /// Writes the file to the disk and renames it to the file that it replaces.
  ///
  /// A power failure leaves either the old file or the new one, each of them complete. The
  /// corresponding C functions are `fsync` and `rename`.
  ///
  /// - Throws: `FileSystemError`; the old file is unchanged, unless the failed action is writing
  ///   the folder to the disk.
  func replaceTarget() throws(FileSystemError) {
    guard fsync(descriptor) == 0 else { throw FileSystemError("write", path) }
    guard rename(path, target) == 0 else { throw FileSystemError("replace", target) }
    isPending = false
    try Self.syncFolder(folder)
  }

  /// Writes the names in a folder to the disk; the corresponding C function is `fsync`.
  static func syncFolder(_ path: String) throws(FileSystemError) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileSystemError("open the folder", path) }
    defer { close(descriptor) }
    // Some file systems cannot synchronize folders, and do not need to.
    guard fsync(descriptor) == 0 || errno == EINVAL else {
      throw FileSystemError("write the folder", path)
    }
  }

  /// Opens a file and takes its lock; the corresponding C function is `flock`.
  private static func openLocked(_ path: String, for target: String) throws(BackupError) -> Int32 {
    // Another process may rename or remove its file between opening and locking it.
    for _ in 0..<100 {
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard descriptor >= 0 else { throw .file(FileSystemError("create", path)) }
      if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
        close(descriptor)
        throw .isBeingWritten(path: target)
      }
      if isNamed(path, descriptor) {
        // The umask may have removed permissions.
        fchmod(descriptor, 0o600)
        if ftruncate(descriptor, 0) == 0 { return descriptor }
      }
      close(descriptor)
    }
    throw .isBeingWritten(path: target)
  }

  /// Whether a path names an open file.
  private static func isNamed(_ path: String, _ descriptor: Int32) -> Bool {
    var own = stat()
    var named = stat()
    return fstat(descriptor, &own) == 0 && lstat(path, &named) == 0
      && own.st_dev == named.st_dev && own.st_ino == named.st_ino
  }

  /// Removes the partial files in a folder that no process is writing.
  private static func removeAbandoned(in folder: String) {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return }
    for name in names where name.hasPrefix(".") && name.hasSuffix(suffix) {
      let path = "\(folder)/\(name)"
      let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      guard descriptor >= 0 else { continue }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0, isNamed(path, descriptor) {
        unlinkWithJournal(path)
      }
      close(descriptor)
    }
  }

  /// Removes a file and the journal that SQLite may have left next to it.
  private static func unlinkWithJournal(_ path: String) {
    // The journal first: while the file exists, the next process finds both.
    unlink(path + "-journal")
    unlink(path)
  }
}
