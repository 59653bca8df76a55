/// An IP address and a port.
package struct HostAndPort: Hashable, Sendable {
  package let host: IPAddress
  /// The port; 0 lets the system pick one.
  package let port: UInt16

  package init(host: IPAddress, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Parses an address such as `127.0.0.1:8080` or `[::1]:8080`; `nil` if the text is invalid.
  ///
  /// Host names are rejected because a name can resolve to a different address without the
  /// operator's knowledge.
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
