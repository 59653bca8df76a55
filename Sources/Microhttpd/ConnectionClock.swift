internal import Glibc

/// How long a connection may take to bring its next request.
///
/// libmicrohttpd counts silence only, and each octet begins it anew, so a client that sends one now
/// and then holds a connection for ever. This clock runs from the beginning of the connection, or
/// the end of the request before, to the last octet of the head, and anew to the last of the
/// content; a request that is whole stops it.
// Used on the loop's thread only.
final class ConnectionClock {
  private let descriptor: Int32
  private var deadline: Duration?

  /// Makes a clock that does not run.
  ///
  /// - Parameter descriptor: The connection's socket; valid until libmicrohttpd says that the
  ///   connection is closed, which it does before it closes the socket.
  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  func start(until deadline: Duration) {
    self.deadline = deadline
  }

  func stop() {
    deadline = nil
  }

  /// Cuts the connection if its time has passed.
  func cutIfOverdue(at now: Duration) {
    if let deadline, deadline <= now { cut() }
  }

  /// Cuts the connection; libmicrohttpd finds it ended and closes it.
  ///
  /// The corresponding C function is `shutdown`.
  func cut() {
    deadline = nil
    shutdown(descriptor, Int32(SHUT_RDWR))
  }
}
