import TestSupport
import Testing

/// A database on a file system that others may reach in another way, with other locks.
@Suite struct SharedMountTests {
  /// Whether the tests may mount a folder with FUSE.
  private static let mayMount: Bool = {
    guard let folder = try? TemporaryFolder(), let mount = try? Mount(in: folder) else {
      return false
    }
    return (try? mount.remove()) != nil
  }()

  /// A folder under a second path.
  private struct Mount {
    private let folder: TemporaryFolder

    init(in folder: TemporaryFolder) throws {
      self.folder = folder
      let run = try Program.run("sh -c 'mkdir real mounted && bindfs real mounted'", in: folder)
      guard run.end == .exit(0) else { throw TestSystemError.malformed(run.text) }
    }

    func remove() throws {
      let run = try Program.run("fusermount3 -u mounted", in: folder)
      guard run.end == .exit(0) else { throw TestSystemError.malformed(run.text) }
    }
  }

  @Test(.enabled(if: mayMount, "bindfs may not mount here: Scripts/bootstrap all installs it"))
  func `a service warns where the locks of another may not be seen`() throws {
    let folder = try TemporaryFolder()
    let mount = try Mount(in: folder)
    let warning = "the database is on a file system of the kind FUSE"
    for (path, isShared) in [("mounted/list", true), ("real/list", false)] {
      let service = try RunningService(["--database", "sqlite:\(path)"], in: folder)
      let log = try service.endAndReadLog()
      #expect(log.contains(warning) == isShared, "\(log)")
    }
    try mount.remove()
  }
}
