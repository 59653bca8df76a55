internal import CMicrohttpd
internal import Glibc

/// Sets whether closing a socket resets its connection or ends it normally.
///
/// A reset shows the client that the response is incomplete. It also makes the kernel drop the
/// bytes that the client has not read, which it would keep for half a minute otherwise. The
/// corresponding C option is `SO_LINGER` with a time of 0. A Unix socket accepts the option and
/// still closes normally.
func setResetsOnClose(_ isOn: Bool, of descriptor: Int32) {
  var none = linger(l_onoff: isOn ? 1 : 0, l_linger: 0)
  setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &none, socklen_t(MemoryLayout<linger>.size))
}
