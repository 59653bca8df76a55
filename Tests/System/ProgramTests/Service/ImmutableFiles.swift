import TestSupport
import Testing

/// Files that no process can write, even with an open descriptor, as on a disk that was remounted
/// read-only.
///
/// The files become writable again when this object is released, since they could not be removed
/// otherwise.
final class ImmutableFiles {
  /// Whether the tests can make files immutable, which requires root and a suitable file system.
  static let areAllowed: Bool = {
    guard let folder = try? TemporaryFolder(),
      let path = try? folder.write("a", to: "file"),
      let files = try? ImmutableFiles([path])
    else {
      return false
    }
    defer { try? files.free() }
    return (try? folder.write("b", to: "file")) == nil
  }()

  private var paths: [String]

  /// Makes files immutable, as `chattr` does.
  init(_ paths: [String]) throws {
    self.paths = paths
    try change("+i")
  }

  deinit {
    try? free()
  }

  /// Makes the files writable again.
  func free() throws {
    try change("-i")
    paths = []
  }

  private func change(_ attribute: String) throws {
    guard !paths.isEmpty else { return }
    let command = "chattr \(attribute) \(paths.joined(separator: " "))"
    let change = try ChildProcess(through: ["sh", "-c", command])
    guard try change.wait() == .exit(0) else {
      throw TestSystemError.malformed(change.standardError)
    }
  }
}
