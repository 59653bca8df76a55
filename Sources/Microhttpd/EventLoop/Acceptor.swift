internal import CMicrohttpd
internal import Glibc
internal import HTTPSignals
internal import Signals

/// An acceptor of connections that replaces libmicrohttpd's after the process has run out of file
/// descriptors.
///
/// Without a descriptor, libmicrohttpd 0.9.75 retries continuously and writes a line to the log
/// each time, as long as it has no other connection; otherwise it waits until one of them ends. So
/// the acceptor takes the listening socket from it permanently at the first such failure. Until
/// then the acceptor is inactive, because it costs a system call in each turn of the loop.
// @unchecked Sendable because it is used on the loop's thread only.
final class Acceptor: @unchecked Sendable {
  /// The pause before the next attempt when there are no descriptors.
  private static let pause: Duration = .milliseconds(100)
  /// The maximum number of connections that are accepted per turn, so that other work gets its
  /// turn.
  private static let maximumCount = 10

  private unowned let http: HTTPLoop
  /// A descriptor in reserve: closing it frees one with which a waiting connection can be accepted
  /// and closed.
  private var reserve: Int32
  /// The listening socket; -1 before the failure, and when the daemon stops.
  private var listener: Int32 = -1

  init(for http: HTTPLoop) {
    self.http = http
    reserve = Self.openReserve()
  }

  deinit {
    if reserve >= 0 { close(reserve) }
  }

  private static func openReserve() -> Int32 {
    open("/dev/null", O_RDONLY | O_CLOEXEC)
  }

  /// The errors of `accept4` that mean the system lacks something.
  private static let shortages = [EMFILE, ENFILE, ENOMEM, ENOBUFS]

  /// Returns whether a message of libmicrohttpd reports such a shortage.
  static func isFailure(_ message: String) -> Bool {
    message.hasPrefix("Error accepting connection: ")
      && shortages.contains { message.contains(String(cString: strerror($0))) }
  }

  /// Takes the listening socket from libmicrohttpd.
  func takeOver() {
    guard listener < 0, let daemon = http.daemon else { return }
    listener = MHD_quiesce_daemon(daemon)
    guard listener >= 0 else { return }
    http.afterTurn = { [unowned self] in acceptSome() }
    shedOldest()
  }

  /// Stops accepting connections, and returns the listening socket, which the caller closes, or -1.
  func quiesce() -> Int32 {
    guard listener >= 0 else { return http.daemon.map { MHD_quiesce_daemon($0) } ?? -1 }
    defer { listener = -1 }
    http.afterTurn = nil
    watch(EPOLL_CTL_DEL)
    return listener
  }

  private func watch(_ operation: Int32) {
    // libmicrohttpd skips events without a pointer, but they wake the loop.
    var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data())
    epoll_ctl(http.epoll, operation, listener, &event)
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

  /// Accepts one connection, and returns whether another one may be waiting.
  private func accept(from address: UnsafeMutablePointer<sockaddr>) -> Bool {
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let descriptor = cmicrohttpd_accept(listener, address, &size)
    guard descriptor >= 0 else {
      if Self.shortages.contains(errno) {
        watch(EPOLL_CTL_DEL)
        shedOldest()
      }
      return false
    }
    if http.accepts(ClientAddress(address)) {
      // libmicrohttpd closes the socket if it rejects the connection.
      MHD_add_connection(http.daemon, descriptor, address, size)
    } else {
      close(descriptor)
    }
    return true
  }

  /// Closes the connection that has waited longest, so that its client is not kept waiting, and
  /// pauses accepting.
  private func shedOldest() {
    http.afterTurn = nil
    if reserve >= 0 { close(reserve) }
    let descriptor = cmicrohttpd_accept(listener, nil, nil)
    if descriptor >= 0 { close(descriptor) }
    reserve = Self.openReserve()
    http.loop.schedule(after: Self.pause) { [weak self] in self?.resume() }
  }

  private func resume() {
    guard listener >= 0 else { return }
    watch(EPOLL_CTL_ADD)
    http.afterTurn = { [unowned self] in acceptSome() }
  }
}
