import TestSupport
import Testing

/// A database on a file system that others may reach in another way, with other locks.
@Suite struct SharedMountTests {
  private static let mount = ["sh", "-c", "mkdir real mounted && bindfs real mounted"]
  private static let unmount = ["fusermount3", "-u", "mounted"]

  /// Whether the tests may mount a folder with FUSE.
  private static let mayMount: Bool = {
    guard let folder = try? Folder(), let mounted = try? Child.run(mount, in: folder).end,
      mounted == .exit(0)
    else { return false }
    return (try? Child.run(unmount, in: folder).end) == .exit(0)
  }()

  @Test(.enabled(if: mayMount, "bindfs may not mount here: Scripts/bootstrap all installs it"))
  func `a service warns where the locks of another may not be seen`() throws {
    let folder = try Folder()
    try Child.run(Self.mount, in: folder).expect(0)
    for (path, isShared) in [("mounted/list", true), ("real/list", false)] {
      let log = try Enlist(["--database", "sqlite:\(path)"], in: folder).stop()
      let warns = log.contains("the database is on a file system of the kind FUSE")
      #expect(warns == isShared, "\(log)")
    }
    try Child.run(Self.unmount, in: folder).expect(0)
  }
}
