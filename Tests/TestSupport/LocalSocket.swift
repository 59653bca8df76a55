internal import Glibc

/// Functions for local sockets, the basis of the tests' clients and listeners.
package enum LocalSocket {
  /// Makes a stream socket that a child process does not inherit.
  static func make(family: Int32 = AF_INET) throws(TestSystemError) -> Int32 {
    let descriptor = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .last("socket") }
    return descriptor
  }

  /// Calls a closure with `127.0.0.1` and a port as a C structure.
  static func withAddress<Result>(
    port: UInt16, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  /// Calls a closure with the path of a socket as a C structure.
  static func withAddress<Result>(
    path: String, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { buffer in
      buffer.copyBytes(from: path.utf8.prefix(buffer.count - 1))
    }
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  /// Sets an option of a socket; the corresponding C function is `setsockopt`.
  static func set<Option>(
    _ value: Option, level: Int32, option: Int32, of descriptor: Int32
  ) throws(TestSystemError) {
    let outcome = withUnsafePointer(to: value) {
      setsockopt(descriptor, level, option, $0, socklen_t(MemoryLayout<Option>.size))
    }
    guard outcome == 0 else { throw .last("setsockopt") }
  }

  /// Returns the ports of a connection.
  ///
  /// - Parameter descriptor: A descriptor of this process.
  /// - Returns: The ports of this end and of the peer; `nil` unless the descriptor is an IPv4
  ///   connection.
  package static func ports(of descriptor: Int32) -> (own: UInt16, peer: UInt16)? {
    guard let own = port(of: descriptor, getsockname), let peer = port(of: descriptor, getpeername)
    else {
      return nil
    }
    return (own, peer)
  }

  /// Returns the port that `getsockname` or `getpeername` reports.
  static func port(
    of descriptor: Int32,
    _ name: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> UInt16? {
    withAddress(port: 0) { address, size in
      var size = size
      guard name(descriptor, address, &size) == 0, address.pointee.sa_family == AF_INET else {
        return nil
      }
      return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        UInt16(bigEndian: $0.pointee.sin_port)
      }
    }
  }
}
