internal import CMicrohttpd
internal import Glibc

/// Has closing a socket reset its connection, or end it as usual.
///
/// A reset tells the client that what it has is incomplete, and has the kernel drop what the client
/// did not read, which it would keep for half a minute otherwise. The corresponding C option is
/// `SO_LINGER` of no time. A Unix socket takes it and closes as usual.
///
/// - Parameters:
///   - isOn: Whether closing resets.
///   - descriptor: The socket.
func setResetsOnClose(_ isOn: Bool, of descriptor: Int32) {
  var none = linger(l_onoff: isOn ? 1 : 0, l_linger: 0)
  setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &none, socklen_t(MemoryLayout<linger>.size))
}
