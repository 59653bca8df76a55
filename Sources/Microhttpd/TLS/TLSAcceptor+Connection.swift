internal import CMicrohttpd
internal import Security

extension TLSAcceptor {
  /// Sets up TLS on a connection that libmicrohttpd has just accepted; call it before the
  /// handshake.
  ///
  /// - Parameter driver: The driver of the connection's loop; `nil` if no event loop drives it.
  /// - Returns: An object that the caller must retain for as long as the connection is open; `nil`
  ///   for a connection without TLS.
  func secure(_ connection: OpaquePointer, on driver: LibraryDriver?) -> SecureConnection? {
    guard let session = cmicrohttpd_tls_session(connection) else { return nil }
    return secure(session: session, descriptor: cmicrohttpd_descriptor(connection), on: driver)
  }
}

extension LibraryDriver: TLSHandshakeLoop {}
