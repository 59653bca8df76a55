import Foundation
import Glibc
import TestSupport
import Testing

/// A log that is a file on a disk that hangs.
@Suite struct HangingDiskTests {
  @Test(
    .enabled(
      if: HangingDisk.isAllowed, "bindfs may not mount here: Scripts/bootstrap all installs it")
  )
  func `requests do not wait for the disk of the log, which then has or counts every line`() throws
  {
    let disk = try HangingDisk()
    let log = open(disk("log"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    try #require(log >= 0)
    defer { close(log) }
    let service = try Enlist(["--log-level", "debug"], errors: log)
    let client = try service.connect()
    try disk.hang()
    defer { disk.goOn() }
    for _ in 0..<10_000 {
      try client.request("GET", "/livez")
      try client.readResponse().expect(200)
    }
    disk.goOn()
    try eventually("the number of dropped lines") {
      try String(contentsOfFile: disk("log"), encoding: .utf8).hasSuffix(" log lines dropped\n")
    }
    #expect(try service.process.wait(after: SIGTERM) == .exit(0))
    let text = try String(contentsOfFile: disk("log"), encoding: .utf8)
    let kept = text.ranges(of: "route=/livez").count
    let dropped = text.matches(of: /enlist: ([0-9]+) log lines dropped\n/).compactMap { Int($0.1) }
    #expect(!dropped.isEmpty)
    #expect(kept + dropped.reduce(0, +) == 10_000)
    #expect(text.hasSuffix(" info enlist: stopped\n"))
  }
}

/// A folder on a file system of FUSE, whose process can be stopped.
private final class HangingDisk {
  /// Whether the tests may mount one.
  static let isAllowed = Child.finds("bindfs") && (try? HangingDisk()) != nil

  private let folder: Folder
  private let process: Child

  init() throws {
    let folder = try Folder()
    for name in ["real", "mounted"] {
      try FileManager.default.createDirectory(
        atPath: folder(name), withIntermediateDirectories: false)
    }
    let process = try Child(["bindfs", "-f", "real", "mounted"], in: folder)
    (self.folder, self.process) = (folder, process)
    try eventually("a mounted folder") {
      guard (try? process.wait(within: .zero)) == nil else { throw TestSystemError.closed }
      return try String(contentsOfFile: "/proc/mounts", encoding: .utf8).contains(folder("mounted"))
    }
  }

  deinit {
    goOn()
    _ = try? Child.run(["fusermount3", "-u", "-z", folder("mounted")])
  }

  /// The path of a file on the disk.
  func callAsFunction(_ name: String) -> String { folder("mounted/\(name)") }

  func hang() throws {
    process.send(SIGSTOP)
    try eventually("a stopped process") {
      try String(contentsOfFile: "/proc/\(process.id)/stat", encoding: .utf8).contains(") T ")
    }
  }

  func goOn() { process.send(SIGCONT) }
}
