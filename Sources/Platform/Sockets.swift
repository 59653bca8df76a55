package import Glibc

package struct HostAndPort: Hashable, Sendable {
  package let host: IPAddress
  /// The port; 0 lets the system pick one.
  package let port: UInt16

  package init(host: IPAddress, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Parses an address such as `127.0.0.1:8080` or `[::1]:8080`, but no host name, which can resolve
  /// to a different address without the operator's knowledge.
  package init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":") else { return nil }
    let digits = text[colon...].dropFirst()
    guard !digits.isEmpty, digits.utf8.allSatisfy({ $0.isASCIIDigit }), let port = UInt16(digits)
    else { return nil }
    let name = text[..<colon]
    let isBracketed = name.first == "[" && name.last == "]"
    guard let host = IPAddress(isBracketed ? name.dropFirst().dropLast() : name) else { return nil }
    switch host {
    case .v4: guard !isBracketed else { return nil }
    case .v6: guard isBracketed else { return nil }
    }
    self.init(host: host, port: port)
  }

  /// This address, with the loopback address instead of the unspecified address.
  package var reachableHere: HostAndPort {
    host.isUnspecified ? HostAndPort(host: host.loopback, port: port) : self
  }
}

extension HostAndPort: CustomStringConvertible {
  /// The address in the format of a URL's authority.
  package var description: String {
    switch host {
    case .v4: "\(host):\(port)"
    case .v6: "[\(host)]:\(port)"
    }
  }
}

package enum SocketAddress: Hashable, Sendable {
  case network(HostAndPort)
  /// A Unix socket in the file system.
  case unix(path: String)

  /// The length of the longest path of a Unix socket, in bytes; a NUL follows it.
  package static var maximumPathBytes: Int {
    MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
  }

  /// Reads the address to which a socket is bound, with the port that the system has picked.
  ///
  /// Returns `nil` for a socket that is not bound, or belongs to another family.
  package init?(boundTo descriptor: Int32) {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let address = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        getsockname(descriptor, address, &length) == 0 ? Self.read(address, length) : nil
      }
    }
    guard let address else { return nil }
    self = address
  }

  private static func read(
    _ address: UnsafePointer<sockaddr>, _ length: socklen_t
  ) -> SocketAddress? {
    if Int32(address.pointee.sa_family) == AF_UNIX {
      let start = MemoryLayout<sa_family_t>.size
      guard Int(length) > start else { return nil }
      let path = UnsafeRawBufferPointer(
        start: UnsafeRawPointer(address) + start, count: Int(length) - start)
      return .unix(path: String(cBuffer: path))
    }
    guard let host = IPAddress(address) else { return nil }
    // The port is at the same offset in both families.
    let port = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self).sin_port
    return .network(HostAndPort(host: host, port: UInt16(bigEndian: port)))
  }

  package var family: Int32 {
    switch self {
    case .network(let address):
      switch address.host {
      case .v4: AF_INET
      case .v6: AF_INET6
      }
    case .unix: AF_UNIX
    }
  }

  /// Calls a closure with the address as a C structure and its length in bytes.
  ///
  /// A path that is longer than ``maximumPathBytes`` is truncated; connecting fails, because no
  /// service can listen at a path this long.
  package func withSocketAddress<Result>(
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    func lend<Address>(_ address: Address) -> Result {
      withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          body($0, socklen_t(MemoryLayout<Address>.size))
        }
      }
    }
    switch self {
    case .network(let endpoint):
      switch endpoint.host {
      case .v4(let bits):
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = endpoint.port.bigEndian
        address.sin_addr.s_addr = bits.bigEndian
        return lend(address)
      case .v6(let upper, let lower):
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = endpoint.port.bigEndian
        withUnsafeMutableBytes(of: &address.sin6_addr) { bytes in
          bytes.storeBytes(of: upper.bigEndian, as: UInt64.self)
          bytes.storeBytes(of: lower.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        return lend(address)
      }
    case .unix(let path):
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { buffer in
        buffer.copyBytes(from: path.utf8.prefix(buffer.count - 1))
      }
      return lend(address)
    }
  }
}

extension SocketAddress: CustomStringConvertible {
  /// The address and the port as in a URL, or `unix:` and the path.
  package var description: String {
    switch self {
    case .network(let address): address.description
    case .unix(let path): "unix:\(path)"
    }
  }
}

/// A stream socket of the operating system, by its descriptor.
///
/// The value does not own the descriptor, which its owner closes once.
package struct RawSocket: Sendable {
  package enum Sent: Sendable {
    case bytes(Int)
    /// The kernel accepts no bytes at the moment.
    case none
    /// The other end has closed the connection.
    case gone
  }

  package let descriptor: Int32

  @inlinable package init(_ descriptor: Int32) { self.descriptor = descriptor }

  package init(family: Int32) throws(SocketError) {
    let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    descriptor = socket(family, Int32(type), 0)
    guard descriptor >= 0 else { throw SocketError() }
  }

  /// Binds the socket; a path must not be longer than ``SocketAddress/maximumPathBytes``.
  package func bind(to address: SocketAddress) throws(SocketError) {
    guard address.withSocketAddress({ Glibc.bind(descriptor, $0, $1) }) == 0 else {
      throw SocketError()
    }
  }

  /// Sends bytes without blocking.
  // Inlined, because each event is sent to each stream with it.
  @inlinable
  package func send(_ bytes: UnsafeRawBufferPointer) -> Sent {
    while true {
      let count = Glibc.send(
        descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
      if count >= 0 { return .bytes(count) }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .none
      default: return .gone
      }
    }
  }

  package func close() { Glibc.close(descriptor) }
}

package struct SocketError: Error, Hashable, Sendable {
  package let errorNumber: Int32

  /// Reads the failure of the last system call of this thread.
  package init() { errorNumber = errno }
}
