internal import CMicrohttpd
internal import Glibc

/// A socket that listens; the event loops share it.
struct ListenSocket: Sendable {
  /// The socket.
  let descriptor: Int32
  /// Where it listens, with the port that the kernel chose.
  let endpoint: Endpoint
  /// What it put into the file system.
  private var file: SocketFile?

  /// Binds and listens; the corresponding C functions are `getaddrinfo`, `socket`, `bind` and
  /// `listen`.
  init(_ endpoint: Endpoint) throws(DaemonError) {
    switch endpoint {
    case .network(let host, let port):
      descriptor = try Self.bind(host: host, port: port, endpoint)
    case .unix(let path):
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
    self.endpoint = Self.endpoint(of: descriptor) ?? endpoint
  }

  /// Closes the socket, and removes what it put into the file system.
  func close() {
    file?.remove()
    Glibc.close(descriptor)
  }

  /// Has a client that does not read, or is there no longer, cost little and not for long:
  /// connections inherit this.
  ///
  /// A Unix socket rejects what is of TCP, and needs none of it.
  private static func boundClients(of descriptor: Int32) {
    // The kernel would keep megabytes for each client that does not read.
    set(SOL_SOCKET, SO_SNDBUF, 32 * 1024, of: descriptor)
    // Milliseconds that sent bytes, a heartbeat for instance, may remain without an answer.
    set(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, 30_000, of: descriptor)
    set(SOL_SOCKET, SO_KEEPALIVE, 1, of: descriptor)
    set(Int32(IPPROTO_TCP), TCP_KEEPIDLE, 30, of: descriptor)
    set(Int32(IPPROTO_TCP), TCP_KEEPINTVL, 10, of: descriptor)
  }

  // MARK: Networks

  private static func bind(
    host: String,
    port: UInt16,
    _ endpoint: Endpoint
  ) throws(DaemonError) -> Int32 {
    var hints = addrinfo()
    hints.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &found) == 0, let found else {
      throw .cannotListen(address: endpoint.description, errorNumber: EADDRNOTAVAIL)
    }
    defer { freeaddrinfo(found) }

    let descriptor = try make(family: found.pointee.ai_family)
    // A restart must not wait for the connections of the process before it to be forgotten.
    set(SOL_SOCKET, SO_REUSEADDR, 1, of: descriptor)
    // All addresses means all, whatever net.ipv6.bindv6only says.
    if host == "::" { set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0, of: descriptor) }
    guard Glibc.bind(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0 else {
      let number = errno
      Glibc.close(descriptor)
      throw .cannotListen(address: endpoint.description, errorNumber: number)
    }
    return descriptor
  }

  /// Makes a socket that no child process inherits; the corresponding C function is `socket`.
  static func make(family: Int32) throws(DaemonError) -> Int32 {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(family, type, 0)
    guard descriptor >= 0 else { throw .system(function: "socket", errorNumber: errno) }
    return descriptor
  }

  /// Sets an option of the socket, as far as the kernel lets it; the corresponding C function is
  /// `setsockopt`.
  private static func set(_ level: Int32, _ option: Int32, _ value: Int32, of descriptor: Int32) {
    var value = value
    setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  // MARK: Where it listens

  /// Where a socket listens; the corresponding C functions are `getsockname` and `getnameinfo`.
  private static func endpoint(of descriptor: Int32) -> Endpoint? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard getsockname(descriptor, address, &length) == 0 else { return nil }
        if Int32(address.pointee.sa_family) == AF_UNIX {
          return unixPath(UnsafeRawPointer(address), length).map { .unix(path: $0) }
        }
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
        let flags = NI_NUMERICHOST | NI_NUMERICSERV
        guard
          getnameinfo(
            address,
            length,
            &host,
            socklen_t(host.count),
            &port,
            socklen_t(port.count),
            flags
          ) == 0,
          let number = UInt16(text(port))
        else { return nil }
        return .network(host: text(host), port: number)
      }
    }
  }

  private static func unixPath(_ address: UnsafeRawPointer, _ length: socklen_t) -> String? {
    let start = MemoryLayout<sa_family_t>.size
    guard Int(length) > start else { return nil }
    let bytes = UnsafeRawBufferPointer(start: address + start, count: Int(length) - start)
    return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
