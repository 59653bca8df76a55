internal import CMicrohttpd
internal import Glibc
internal import Platform

/// A listening socket, which all event loops share.
struct ListenSocket: Sendable {
  let descriptor: Int32
  /// The endpoint of the socket, with the port that the kernel chose.
  let endpoint: Endpoint
  private var file: SocketFile?

  /// Binds a socket, unless it is inherited, and listens.
  init(_ endpoint: Endpoint) throws(DaemonError) {
    switch endpoint {
    case .address(.network(let address)):
      descriptor = try Self.bind(address)
    case .address(.unix(let path)):
      let bound = try SocketFile.bind(path: path, endpoint)
      descriptor = bound.descriptor
      file = bound.file
    case .inherited(let inherited):
      descriptor = inherited
      var isListening: Int32 = 0
      var size = socklen_t(MemoryLayout<Int32>.size)
      guard getsockopt(inherited, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size) == 0 else {
        throw .cannotListen(address: endpoint.description, errorNumber: errno)
      }
      guard isListening != 0 else {
        throw .cannotListen(address: endpoint.description, errorNumber: EINVAL)
      }
      _ = fcntl(inherited, F_SETFL, fcntl(inherited, F_GETFL) | O_NONBLOCK)
      _ = fcntl(inherited, F_SETFD, FD_CLOEXEC)
    }
    Self.boundClients(of: descriptor)
    guard listen(descriptor, 4096) == 0 else {
      let number = errno
      Glibc.close(descriptor)
      throw .cannotListen(address: endpoint.description, errorNumber: number)
    }
    self.endpoint = SocketAddress(boundTo: descriptor).map(Endpoint.address) ?? endpoint
  }

  func close() {
    file?.remove()
    Glibc.close(descriptor)
  }

  /// Limits the memory and the time that an unresponsive client can take; accepted connections
  /// inherit the options.
  ///
  /// A Unix socket rejects the options of TCP, and does not need them.
  private static func boundClients(of descriptor: Int32) {
    // The kernel would keep megabytes for each client that does not read.
    set(SOL_SOCKET, SO_SNDBUF, 32 * 1024, of: descriptor)
    // The time in milliseconds for which sent bytes, such as a heartbeat, may stay unacknowledged.
    set(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, 30_000, of: descriptor)
    set(SOL_SOCKET, SO_KEEPALIVE, 1, of: descriptor)
    set(Int32(IPPROTO_TCP), TCP_KEEPIDLE, 30, of: descriptor)
    set(Int32(IPPROTO_TCP), TCP_KEEPINTVL, 10, of: descriptor)
  }

  // MARK: Networks

  private static func bind(_ address: HostAndPort) throws(DaemonError) -> Int32 {
    let socketAddress = SocketAddress.network(address)
    let descriptor = try make(family: socketAddress.family)
    // A restart must not have to wait until the kernel has dropped the previous process's
    // connections.
    set(SOL_SOCKET, SO_REUSEADDR, 1, of: descriptor)
    // `::` includes IPv4, regardless of net.ipv6.bindv6only.
    if address.host == .v6(0, 0) { set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0, of: descriptor) }
    do throws(SocketError) {
      try RawSocket(descriptor).bind(to: socketAddress)
    } catch {
      Glibc.close(descriptor)
      throw .cannotListen(address: address.description, errorNumber: error.errorNumber)
    }
    return descriptor
  }

  static func make(family: Int32) throws(DaemonError) -> Int32 {
    do throws(SocketError) {
      return try RawSocket(family: family).descriptor
    } catch {
      throw .system(function: "socket", errorNumber: error.errorNumber)
    }
  }

  /// Sets a socket option and ignores failures.
  private static func set(_ level: Int32, _ option: Int32, _ value: Int32, of descriptor: Int32) {
    var value = value
    setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }
}

struct SocketFile: Sendable {
  private let path: String
  /// The identity of the file: another process may have replaced it with its own.
  private let device: dev_t
  private let node: ino_t

  /// Creates a socket that does not listen yet and binds it to a path.
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

  /// Returns the device and inode of a socket's file; `nil` for any other file, or none.
  private static func identify(_ path: String) -> (dev_t, ino_t)? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
    return (status.st_dev, status.st_ino)
  }
}
