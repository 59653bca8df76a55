internal import Glibc

/// An address and a port of this machine.
struct HostAndPort: Hashable, Sendable {
  /// The two kinds of address, each with its bytes in network order.
  enum Host: Hashable, Sendable {
    /// Four bytes.
    case v4([UInt8])
    /// Sixteen bytes.
    case v6([UInt8])
  }

  /// `127.0.0.1:8080`.
  static let standard = HostAndPort(host: .v4([127, 0, 0, 1]), port: 8080)

  /// The address.
  let host: Host
  /// The port; 0 lets the system pick one.
  let port: UInt16

  /// Makes an address of its parts.
  ///
  /// - Parameters:
  ///   - host: The address.
  ///   - port: The port; 0 lets the system pick one.
  init(host: Host, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Reads an address; the corresponding C function is `inet_pton`.
  ///
  /// - Parameter text: `127.0.0.1:8080` or `[::1]:8080`; anything else is none, names too, since
  ///   what a name means can change behind the operator's back.
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

  /// The same port on the loopback address, if this is the address that means all of them.
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

  /// The same address with the port that the system picked.
  ///
  /// - Parameter port: The port.
  /// - Returns: The address.
  func with(port: UInt16) -> HostAndPort {
    HostAndPort(host: host, port: port)
  }

  /// Lends the address as C knows it; the corresponding C type is `sockaddr`.
  ///
  /// - Parameter body: Receives the address and its length in bytes, for as long as it runs.
  /// - Returns: What `body` returns.
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
  /// The address as it stands in a URL.
  var description: String {
    switch host {
    case .v4: "\(hostText):\(port)"
    case .v6: "[\(hostText)]:\(port)"
    }
  }

  /// The address without the port, and without brackets; the corresponding C function is
  /// `inet_ntop`.
  var hostText: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    switch host {
    case .v4(let bytes): inet_ntop(AF_INET, bytes, &text, socklen_t(text.count))
    case .v6(let bytes): inet_ntop(AF_INET6, bytes, &text, socklen_t(text.count))
    }
    return Self.string(text)
  }

  private static func string(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
