internal import CMicrohttpd
internal import Glibc
internal import HTTPSignals
internal import Signals

/// Accepts connections in the place of libmicrohttpd, once there were no descriptors left for one.
///
/// libmicrohttpd 0.9.75 then tries again and again, with a line in the log each time, for as long as
/// it has no other connection, and waits for one of them to end otherwise. So at the first such
/// failure its socket is taken from it for good. Until then this is not used, because it costs a
/// system call in each turn of the loop.
// @unchecked Sendable because it is used on the loop's thread only.
final class Acceptor: @unchecked Sendable {
  /// How long nothing is accepted when there are no descriptors.
  private static let pause: Duration = .milliseconds(100)
  /// How many connections are accepted in a turn; others want their turn, too.
  private static let maximumCount = 10

  private let daemon: OpaquePointer
  private let epoll: Int32
  private let loop: EventLoop
  private let accepts: (ClientAddress) -> Bool
  /// What is closed when there are no descriptors, so that a client can be told by closing its
  /// connection.
  private var reserve: Int32
  /// The socket; -1 before the failure, and when the daemon stops.
  private var listener: Int32 = -1

  /// Makes an acceptor that leaves it to libmicrohttpd.
  ///
  /// - Parameters:
  ///   - daemon: For which it accepts.
  ///   - loop: On whose thread.
  ///   - accepts: Whether a client may connect.
  init(
    for daemon: OpaquePointer,
    on loop: EventLoop,
    accepts: @escaping (ClientAddress) -> Bool
  ) {
    self.daemon = daemon
    self.loop = loop
    self.accepts = accepts
    epoll = cmicrohttpd_epoll_descriptor(daemon)
    reserve = Self.openReserve()
  }

  deinit {
    if reserve >= 0 { close(reserve) }
  }

  private static func openReserve() -> Int32 {
    open("/dev/null", O_RDONLY | O_CLOEXEC)
  }

  /// Whether a message of libmicrohttpd says that it could not accept a connection for want of
  /// descriptors.
  static func isFailure(_ message: String) -> Bool {
    message.hasPrefix("Error accepting connection: ")
      && [EMFILE, ENFILE].contains { message.contains(String(cString: strerror($0))) }
  }

  /// Takes the socket from libmicrohttpd; the corresponding C function is `MHD_quiesce_daemon`.
  func takeOver() {
    guard listener < 0 else { return }
    listener = MHD_quiesce_daemon(daemon)
    guard listener >= 0 else { return }
    loop.afterTurn = { [unowned self] in acceptSome() }
    giveUpOne()
  }

  /// Accepts nothing any more.
  ///
  /// - Returns: The socket, which the caller closes; -1 for none.
  func quiesce() -> Int32 {
    guard listener >= 0 else { return MHD_quiesce_daemon(daemon) }
    defer { listener = -1 }
    loop.afterTurn = nil
    watch(EPOLL_CTL_DEL)
    return listener
  }

  private func watch(_ operation: Int32) {
    // What carries no pointer is skipped by libmicrohttpd, and wakes the loop all the same.
    var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data())
    epoll_ctl(epoll, operation, listener, &event)
  }

  private func acceptSome() {
    for _ in 0..<Self.maximumCount {
      var address = sockaddr_storage()
      let result = withUnsafeMutablePointer(to: &address) { storage in
        storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { accept(from: $0) }
      }
      guard result else { return }
    }
  }

  /// Accepts one connection.
  ///
  /// The corresponding C functions are `accept4` and `MHD_add_connection`.
  ///
  /// - Returns: Whether there may be another.
  private func accept(from address: UnsafeMutablePointer<sockaddr>) -> Bool {
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let descriptor = cmicrohttpd_accept(listener, address, &size)
    guard descriptor >= 0 else {
      switch errno {
      case EMFILE, ENFILE:
        watch(EPOLL_CTL_DEL)
        giveUpOne()
      default: break
      }
      return false
    }
    if accepts(ClientAddress(address)) {
      // It closes the socket when it does not take it.
      MHD_add_connection(daemon, descriptor, address, size)
    } else {
      close(descriptor)
    }
    return true
  }

  /// Closes the connection that waits longest, so that its client need not wait, and accepts nothing
  /// for a while.
  private func giveUpOne() {
    loop.afterTurn = nil
    if reserve >= 0 { close(reserve) }
    let descriptor = cmicrohttpd_accept(listener, nil, nil)
    if descriptor >= 0 { close(descriptor) }
    reserve = Self.openReserve()
    loop.schedule(after: Self.pause) { [weak self] in self?.resume() }
  }

  private func resume() {
    guard listener >= 0 else { return }
    watch(EPOLL_CTL_ADD)
    loop.afterTurn = { [unowned self] in acceptSome() }
  }
}
