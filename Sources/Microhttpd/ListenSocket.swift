internal import CMicrohttpd
internal import Glibc

/// A socket that listens; the event loops share it.
struct ListenSocket: Sendable {
  let descriptor: Int32
  let port: UInt16

  /// Binds and listens; the corresponding C functions are `getaddrinfo`, `socket`, `bind` and
  /// `listen`.
  init(host: String, port: UInt16) throws(DaemonError) {
    let address = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    var hints = addrinfo()
    hints.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &found) == 0, let found else {
      throw .cannotListen(address: address, errorNumber: EADDRNOTAVAIL)
    }
    defer { freeaddrinfo(found) }

    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(found.pointee.ai_family, type, 0)
    guard descriptor >= 0 else { throw .system(function: "socket", errorNumber: errno) }
    // A restart must not wait for the connections of the process before it to be forgotten.
    Self.set(SO_REUSEADDR, 1, of: descriptor)
    // Connections inherit it: the kernel would keep megabytes for each client that does not read.
    Self.set(SO_SNDBUF, 32 * 1024, of: descriptor)
    guard
      bind(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0,
      listen(descriptor, 4096) == 0,
      let bound = Self.port(of: descriptor)
    else {
      let number = errno
      close(descriptor)
      throw .cannotListen(address: address, errorNumber: number)
    }
    self.descriptor = descriptor
    self.port = bound
  }

  /// Sets an option of the socket, as far as the kernel lets it; the corresponding C function is
  /// `setsockopt`.
  private static func set(_ option: Int32, _ value: Int32, of descriptor: Int32) {
    var value = value
    setsockopt(descriptor, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// The port that the kernel chose; the corresponding C function is `getsockname`.
  private static func port(of descriptor: Int32) -> UInt16? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(descriptor, $0, &length)
      }
    }
    guard result == 0 else { return nil }
    // The port stands at the same place in IPv4 and IPv6 addresses.
    return withUnsafePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        UInt16(bigEndian: $0.pointee.sin_port)
      }
    }
  }
}
