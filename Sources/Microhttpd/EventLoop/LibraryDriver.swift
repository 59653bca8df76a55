internal import CMicrohttpd
internal import Glibc
internal import GnuTLS

/// A driver of one libmicrohttpd daemon, which has no thread of its own.
///
/// libmicrohttpd waits for readiness and serves connections in one call, `MHD_run_wait`.
// @unchecked Sendable because everything except `watch` runs on the loop's thread, and `watch` runs
// before that thread starts.
final class LibraryDriver: LoopDriver, @unchecked Sendable {
  /// The daemon, which only the loop may use once it runs.
  let daemon: OpaquePointer
  /// The epoll descriptor on which libmicrohttpd waits.
  let epoll: Int32
  /// Called after each call to libmicrohttpd; set on the loop's thread.
  var afterTurn: (() -> Void)?
  /// The connection whose handshake has received bytes, until it waits for more bytes or ends; used
  /// on the loop's thread.
  var handshaking: SecureConnection?

  private var isAwaitingHandshake = false

  /// Creates a driver of a daemon without threads that uses epoll.
  init(_ daemon: OpaquePointer) {
    self.daemon = daemon
    epoll = cmicrohttpd_epoll_descriptor(daemon)
  }

  func watch(_ wakeUp: Int32) throws(DaemonError) {
    // libmicrohttpd stores pointers in the events of its epoll set, and skips events without one
    // (`MHD_epoll`). So one wait serves both.
    var event = epoll_event(events: EPOLLIN.rawValue | EPOLLET.rawValue, data: epoll_data())
    guard epoll_ctl(epoll, EPOLL_CTL_ADD, wakeUp, &event) == 0 else {
      throw .system(function: "epoll_ctl", errorNumber: errno)
    }
  }

  func prepareThread() {}

  func wait(atMost milliseconds: Int32) {
    if isAwaitingHandshake { awaitReadiness() }
    // libmicrohttpd waits no longer than its own deadlines allow, and not at all if a connection
    // has been resumed since its last turn.
    MHD_run_wait(daemon, milliseconds)
    afterTurn?()
  }

  func serve() {}

  /// Makes the loop wait briefly for readiness before the next turn of libmicrohttpd; call it on
  /// the loop's thread.
  ///
  /// libmicrohttpd 0.9.75 does not wait while a TLS handshake waits for its client. It would keep a
  /// core busy during each round trip, and until the deadline for a client that sends nothing.
  func awaitHandshake() {
    isAwaitingHandshake = true
  }

  /// Waits until a descriptor of libmicrohttpd is ready or work is scheduled, but at most one
  /// millisecond.
  private func awaitReadiness() {
    isAwaitingHandshake = false
    var readiness = pollfd(fd: epoll, events: Int16(POLLIN), revents: 0)
    poll(&readiness, 1, 1)
  }
}
