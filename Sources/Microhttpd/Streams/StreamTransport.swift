/// A way to write event streams.
package enum StreamTransport: Sendable, CaseIterable {
  /// Directly to the socket, which is taken over from libmicrohttpd.
  ///
  /// Streams over TLS 1.2, and all streams on systems where a takeover is not possible, use
  /// ``library`` instead.
  case direct
  /// Through libmicrohttpd.
  case library
}
