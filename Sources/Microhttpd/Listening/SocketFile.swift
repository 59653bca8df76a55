internal import Glibc

/// The name of a Unix socket in the file system.
struct SocketFile: Sendable {
  private let path: String
  /// Which file it is: another process may have put its own in its place.
  private let device: dev_t
  private let node: ino_t

  /// Makes a socket and gives it a name; the corresponding C functions are `socket` and `bind`.
  ///
  /// - Parameters:
  ///   - path: The name. A socket that has it and at which nobody listens is removed before.
  ///   - endpoint: What an error names.
  /// - Returns: The socket, which does not listen yet, and its name.
  /// - Throws: `DaemonError`.
  static func bind(
    path: String,
    _ endpoint: Endpoint
  ) throws(DaemonError) -> (descriptor: Int32, file: SocketFile?) {
    let descriptor = try ListenSocket.make(family: AF_UNIX)
    func fail(_ number: Int32) -> DaemonError {
      close(descriptor)
      return .cannotListen(address: endpoint.description, errorNumber: number)
    }
    guard var address = address(of: path) else { throw fail(ENAMETOOLONG) }
    // For nobody but the owner until it has the rights that it is to have.
    fchmod(descriptor, 0o600)
    var result = withSocketAddress(&address) { Glibc.bind(descriptor, $0, $1) }
    if result != 0, errno == EADDRINUSE, try isLeftBehind(path, &address) {
      unlink(path)
      result = withSocketAddress(&address) { Glibc.bind(descriptor, $0, $1) }
    }
    guard result == 0 else { throw fail(errno) }
    guard chmod(path, 0o660) == 0 else { throw fail(errno) }
    return (descriptor, identify(path).map { SocketFile(path: path, device: $0, node: $1) })
  }

  /// Removes the name, unless it is another one's by now.
  func remove() {
    guard let (device, node) = Self.identify(path), device == self.device, node == self.node
    else { return }
    unlink(path)
  }

  /// Whether a socket has the name and nobody listens at it.
  private static func isLeftBehind(
    _ path: String,
    _ address: inout sockaddr_un
  ) throws(DaemonError) -> Bool {
    guard identify(path) != nil else { return false }
    let descriptor = try ListenSocket.make(family: AF_UNIX)
    defer { close(descriptor) }
    return withSocketAddress(&address) { connect(descriptor, $0, $1) } != 0 && errno == ECONNREFUSED
  }

  /// Which file a name is, when it is a socket's; the corresponding C function is `lstat`.
  private static func identify(_ path: String) -> (dev_t, ino_t)? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
    return (status.st_dev, status.st_ino)
  }

  /// The name as C has it; `nil` when it is too long.
  private static func address(of path: String) -> sockaddr_un? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    return withUnsafeMutableBytes(of: &address.sun_path) { buffer in
      guard bytes.count < buffer.count else { return false }
      buffer.copyBytes(from: bytes)
      return true
    } ? address : nil
  }

  private static func withSocketAddress(
    _ address: inout sockaddr_un,
    _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
