internal import Glibc
internal import Platform

/// The file of a Unix socket.
struct SocketFile: Sendable {
  private let path: String
  /// The identity of the file: another process may have replaced it with its own.
  private let device: dev_t
  private let node: ino_t

  /// Creates a socket that does not listen yet and binds it to a path; the corresponding C
  /// functions are `socket` and `bind`.
  static func bind(
    path: String, _ endpoint: Endpoint
  ) throws(DaemonError) -> (descriptor: Int32, file: SocketFile?) {
    let descriptor = try ListenSocket.make(family: AF_UNIX)
    func fail(_ number: Int32) -> DaemonError {
      close(descriptor)
      return .cannotListen(address: endpoint.description, errorNumber: number)
    }
    guard path.utf8.count <= SocketAddress.maximumPathBytes else { throw fail(ENAMETOOLONG) }
    let address = SocketAddress.unix(path: path)
    // Only the owner may connect until the final permissions are set.
    fchmod(descriptor, 0o600)
    var result = address.withSocketAddress { Glibc.bind(descriptor, $0, $1) }
    if result != 0, errno == EADDRINUSE, try isLeftBehind(path, address) {
      unlink(path)
      result = address.withSocketAddress { Glibc.bind(descriptor, $0, $1) }
    }
    guard result == 0 else { throw fail(errno) }
    guard chmod(path, 0o660) == 0 else { throw fail(errno) }
    return (descriptor, identify(path).map { SocketFile(path: path, device: $0, node: $1) })
  }

  /// Removes the file, unless another process has replaced it.
  func remove() {
    guard let (device, node) = Self.identify(path), device == self.device, node == self.node
    else { return }
    unlink(path)
  }

  /// Returns whether the path is that of a stale socket, on which no process listens.
  private static func isLeftBehind(
    _ path: String, _ address: SocketAddress
  ) throws(DaemonError) -> Bool {
    guard identify(path) != nil else { return false }
    let descriptor = try ListenSocket.make(family: AF_UNIX)
    defer { close(descriptor) }
    return address.withSocketAddress { connect(descriptor, $0, $1) } != 0 && errno == ECONNREFUSED
  }

  /// Returns the device and inode of a socket's file; the corresponding C function is `lstat`.
  ///
  /// Returns `nil` if there is no file, or if it is not a socket.
  private static func identify(_ path: String) -> (dev_t, ino_t)? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
    return (status.st_dev, status.st_ino)
  }
}
