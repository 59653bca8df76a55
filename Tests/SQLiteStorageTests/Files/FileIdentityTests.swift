import Foundation
import TestSupport
import Testing

@testable import SQLiteStorage

@Suite struct FileIdentityTests {
  /// Makes a file, a folder, and symbolic links to both, and returns their paths.
  private func makePaths(in folder: Folder) throws -> [String] {
    let files = FileManager.default
    let (file, inner) = (folder("file"), folder("folder"))
    try Data().write(to: URL(filePath: file))
    try files.createDirectory(atPath: inner, withIntermediateDirectories: false)
    for path in [file, inner] {
      try files.createSymbolicLink(atPath: path + "-link", withDestinationPath: path)
    }
    return [file, inner, file + "-link", inner + "-link"]
  }

  @Test func `a path identifies the same file as its status`() throws {
    let folder = try Folder()
    for path in try makePaths(in: folder) + ["/", "/proc", "/dev/null"] {
      let identity = try #require(FileIdentity(at: path))
      #expect(identity == FileStatus(at: path)?.identity, "\(path)")
    }
  }

  @Test func `a symbolic link identifies its target, and two files differ`() throws {
    let folder = try Folder()
    let identities = try makePaths(in: folder).map { FileIdentity(at: $0) }
    #expect(identities[0] == identities[2])
    #expect(identities[1] == identities[3])
    #expect(identities[0] != identities[1])
  }

  @Test func `a path that names no file has no identity`() throws {
    let folder = try Folder()
    let missing = folder("missing")
    try FileManager.default.createSymbolicLink(
      atPath: missing + "-link", withDestinationPath: missing)
    #expect(FileIdentity(at: missing) == nil)
    #expect(FileIdentity(at: missing + "-link") == nil)
    #expect(FileIdentity(at: missing + "/file") == nil)
  }
}
