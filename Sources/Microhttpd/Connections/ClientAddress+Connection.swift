internal import CMicrohttpd
internal import Glibc
internal import HTTPSignals

extension ClientAddress {
  /// Reads the address of a connection's peer: the client, or a proxy in front of it.
  ///
  /// The corresponding C function is `MHD_get_connection_info`.
  init(peerOf connection: OpaquePointer) {
    self.init(cmicrohttpd_client(connection))
  }

  /// Converts an address from C.
  ///
  /// - Parameter address: The corresponding C type is `sockaddr`; `nil` stands for this machine.
  init(_ address: UnsafePointer<sockaddr>?) {
    guard let address else {
      self = .local
      return
    }
    let raw = UnsafeRawPointer(address)
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
      let bytes = raw.loadUnaligned(as: sockaddr_in.self).sin_addr
      self = .v4(UInt32(bigEndian: bytes.s_addr))
    case AF_INET6:
      self.init(raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr)
    default:
      self = .local
    }
  }
}
