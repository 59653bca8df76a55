import Glibc
import TestSupport
import Testing

/// A disk of two megabytes in memory, in a mount namespace of its own: only the process that is
/// started on it sees it, and it goes with that process.
final class SmallDisk {
  /// Whether the system lets the tests make one: as root, and not in every container.
  static let isAllowed: Bool = {
    guard geteuid() == 0, let disk = try? SmallDisk() else { return false }
    let attempt = try? ChildProcess("enlist", ["--version"], through: disk.launcher)
    return (try? attempt?.wait()) == .exit(0)
  }()

  private let folder: TemporaryFolder
  private var owner: Int32 = 0

  /// Prepares a place for it.
  init() throws(TestSystemError) {
    folder = try TemporaryFolder()
  }

  /// Where it is for the process that is started on it.
  var path: String { folder.path }

  /// Mounts it, and starts a program.
  var launcher: [String] {
    let script = #"mount -t tmpfs -o size=2m none "$0" && exec "$@""#
    return ["unshare", "--mount", "sh", "-c", script, path]
  }

  /// Starts a program beside the first.
  var entrance: [String] { ["nsenter", "--mount", "--target", "\(owner)"] }

  /// Tells which process was started on it.
  func belongs(to process: ChildProcess) {
    owner = process.id
  }

  /// Leaves no space.
  func fill() throws {
    let file = open(filler, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    try #require(file >= 0)
    defer { close(file) }
    let page = [UInt8](repeating: 0, count: 4096)
    while write(file, page, page.count) > 0 {}
    #expect(errno == ENOSPC)
  }

  /// Gives the space back.
  func empty() throws {
    try #require(unlink(filler) == 0)
  }

  /// The file that takes the space, seen from outside the namespace.
  private var filler: String { "/proc/\(owner)/root\(path)/filler" }
}
