import Glibc
import TestSupport
import Testing

/// An in-memory disk of two megabytes in its own mount namespace.
///
/// Only the process started on the disk sees it, and the disk disappears with that process.
final class SmallDisk {
  /// Whether the tests can make such a disk, which requires root and fails in some containers.
  static let isAllowed: Bool = {
    guard geteuid() == 0, let disk = try? SmallDisk() else { return false }
    return (try? Child.run(disk.launcher + ["enlist", "--version"]).end) == .exit(0)
  }()

  private let folder: Folder
  private var owner: Int32 = 0

  init() throws {
    folder = try Folder()
  }

  /// The path of the disk for the process started on it.
  var path: String { folder.path }

  /// The command that mounts the disk and starts a program on it.
  var launcher: [String] {
    let script = #"mount -t tmpfs -o size=2m none "$0" && exec "$@""#
    return ["unshare", "--mount", "sh", "-c", script, path]
  }

  /// The command that starts another program on the disk.
  var entrance: [String] { ["nsenter", "--mount", "--target", "\(owner)"] }

  /// Sets the process that was started on the disk.
  func belongs(to process: Child) {
    owner = process.id
  }

  /// Fills the disk.
  func fill() throws {
    let file = open(filler, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    try #require(file >= 0)
    defer { close(file) }
    let page = [UInt8](repeating: 0, count: 4096)
    while write(file, page, page.count) > 0 {}
    #expect(errno == ENOSPC)
  }

  /// Frees the space.
  func empty() throws {
    try #require(unlink(filler) == 0)
  }

  /// The path of the file that fills the disk, as seen from outside the namespace.
  private var filler: String { "/proc/\(owner)/root\(path)/filler" }
}
