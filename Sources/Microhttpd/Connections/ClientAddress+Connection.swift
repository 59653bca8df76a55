internal import CMicrohttpd
internal import Glibc
internal import HTTPSignals
internal import Platform

extension ClientAddress {
  /// Reads the address of a connection's peer: the client, or a proxy in front of it.
  ///
  /// The corresponding C function is `MHD_get_connection_info`.
  init(peerOf connection: OpaquePointer) {
    self.init(cmicrohttpd_client(connection))
  }

  /// Converts an address from C; `nil` stands for this machine.
  ///
  /// The corresponding C type is `sockaddr`.
  init(_ address: UnsafePointer<sockaddr>?) {
    guard let address else {
      self = .local
      return
    }
    self = IPAddress(address).map { ClientAddress($0) } ?? .local
  }
}
