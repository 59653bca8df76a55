internal import ASCII
internal import Glibc

/// An IP address of this machine and a port.
struct HostAndPort: Hashable, Sendable {
  /// An IP address, its bytes in network order.
  enum Host: Hashable, Sendable {
    /// An IPv4 address of four bytes.
    case v4([UInt8])
    /// An IPv6 address of sixteen bytes.
    case v6([UInt8])
  }

  /// `127.0.0.1:8080`.
  static let standard = HostAndPort(host: .v4([127, 0, 0, 1]), port: 8080)

  /// The address.
  let host: Host
  /// The port; 0 lets the system pick one.
  let port: UInt16

  /// Makes an address from its parts.
  ///
  /// - Parameters:
  ///   - host: The address.
  ///   - port: The port; 0 lets the system pick one.
  init(host: Host, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Parses an address, or returns `nil` if the text is invalid.
  ///
  /// The corresponding C function is `inet_pton`.
  ///
  /// - Parameter text: `127.0.0.1:8080` or `[::1]:8080`. Host names are rejected because a name can
  ///   resolve to a different address without the operator's knowledge.
  init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":") else { return nil }
    let digits = text[colon...].dropFirst()
    guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }),
      let port = UInt16(digits)
    else { return nil }
    let name = text[..<colon]
    guard !name.utf8.contains(0) else { return nil }
    if name.first == "[", name.last == "]" {
      var bytes = [UInt8](repeating: 0, count: 16)
      guard inet_pton(AF_INET6, String(name.dropFirst().dropLast()), &bytes) == 1 else {
        return nil
      }
      self.init(host: .v6(bytes), port: port)
    } else {
      var bytes = [UInt8](repeating: 0, count: 4)
      guard inet_pton(AF_INET, String(name), &bytes) == 1 else { return nil }
      self.init(host: .v4(bytes), port: port)
    }
  }

  /// This address, with the loopback address in place of the unspecified address.
  var reachableHere: HostAndPort {
    switch host {
    case .v4([0, 0, 0, 0]):
      HostAndPort(host: .v4([127, 0, 0, 1]), port: port)
    case .v6(let bytes) where bytes.allSatisfy({ $0 == 0 }):
      HostAndPort(host: .v6([UInt8](repeating: 0, count: 15) + [1]), port: port)
    case .v4, .v6:
      self
    }
  }

  /// Returns this address with another port, such as the one that the system picked.
  ///
  /// - Parameter port: The new port.
  /// - Returns: The address.
  func with(port: UInt16) -> HostAndPort {
    HostAndPort(host: host, port: port)
  }

  /// Calls a closure with the address as a C structure.
  ///
  /// The corresponding C type is `sockaddr`.
  ///
  /// - Parameter body: Receives the address and its length in bytes; the pointer is valid only for
  ///   the duration of the call.
  /// - Returns: The result of `body`.
  func withSocketAddress<Result>(
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    func lend<Address>(_ address: Address) -> Result {
      withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          body($0, socklen_t(MemoryLayout<Address>.size))
        }
      }
    }
    switch host {
    case .v4(let bytes):
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: bytes) }
      return lend(address)
    case .v6(let bytes):
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes) }
      return lend(address)
    }
  }
}

extension HostAndPort: CustomStringConvertible {
  /// The address in the format of a URL's authority.
  var description: String {
    switch host {
    case .v4: "\(hostText):\(port)"
    case .v6: "[\(hostText)]:\(port)"
    }
  }

  /// The address without its port and brackets.
  ///
  /// The corresponding C function is `inet_ntop`.
  var hostText: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    switch host {
    case .v4(let bytes): inet_ntop(AF_INET, bytes, &text, socklen_t(text.count))
    case .v6(let bytes): inet_ntop(AF_INET6, bytes, &text, socklen_t(text.count))
    }
    return Self.string(text)
  }

  private static func string(_ characters: [CChar]) -> String {
    String(cBuffer: characters)
  }
}
