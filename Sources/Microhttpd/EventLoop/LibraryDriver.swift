internal import CMicrohttpd
internal import Glibc
internal import Security

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
  /// Called when a client has finished its part of a TLS handshake.
  var handshakeEnded: (SecureConnection) -> Void = { _ in }
  /// Returns whether a request is being received or a response sent.
  var isServing: () -> Bool = { false }

  /// Whether a TLS handshake waited for its client in the last turn.
  private var isAwaitingHandshake = false
  /// Whether something has happened since the beginning of the last turn that libmicrohttpd may
  /// continue without waiting.
  private var hasProgress = false

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
    awaitReadiness(atMost: milliseconds)
    // libmicrohttpd waits no longer than its own deadlines allow, and not at all if a connection
    // has been resumed since its last turn.
    MHD_run_wait(daemon, milliseconds)
    afterTurn?()
  }

  func serve() {}

  func bytesArrived() { hasProgress = true }

  func awaitHandshake() { isAwaitingHandshake = true }

  func handshakeFinished(of connection: SecureConnection) { handshakeEnded(connection) }

  /// Called when a connection is resumed, on the loop's thread.
  func resumed() { hasProgress = true }

  /// Waits until a descriptor of libmicrohttpd is ready or work is scheduled, if libmicrohttpd
  /// would not.
  ///
  /// While a TLS handshake waits for its client, `MHD_run_wait` returns immediately. So this waits
  /// in its place: until something happens if nothing else is going on, and for a millisecond if
  /// libmicrohttpd may have part of a request to read or of a response to send, of which it tells
  /// nobody.
  private func awaitReadiness(atMost milliseconds: Int32) {
    defer {
      isAwaitingHandshake = false
      hasProgress = false
    }
    guard isAwaitingHandshake, !hasProgress else { return }
    var readiness = pollfd(fd: epoll, events: Int16(POLLIN), revents: 0)
    poll(&readiness, 1, isServing() && milliseconds != 0 ? 1 : milliseconds)
  }
}
