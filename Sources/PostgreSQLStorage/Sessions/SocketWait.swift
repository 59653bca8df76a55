internal import Glibc

/// The wait for a socket, with a deadline.
enum SocketWait {
  /// The reason why a wait ended.
  enum End: Hashable, Sendable {
    /// The socket is ready, or closed.
    case ready
    /// The other descriptor can be read.
    case wokenUp
    /// The deadline has passed, the program has closed the socket, or waiting failed.
    case passed
  }

  /// Waits until a socket is ready; the corresponding C function is `poll`.
  ///
  /// - Parameter wakeUp: A descriptor that ends the wait as soon as it can be read.
  static func wait(
    _ socket: Int32, for events: Int16, by deadline: ContinuousClock.Instant,
    or wakeUp: Int32? = nil
  ) -> End {
    guard socket >= 0 else { return .passed }
    var descriptors = [
      pollfd(fd: socket, events: events, revents: 0),
      // `poll` ignores a negative descriptor.
      pollfd(fd: wakeUp ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      let count = poll(&descriptors, nfds_t(descriptors.count), milliseconds(until: deadline))
      if count == 0 { return .passed }
      if count > 0 { return descriptors[0].revents != 0 ? .ready : .wokenUp }
      guard errno == EINTR else { return .passed }
    }
  }

  /// Waits until a deadline; returns whether the descriptor ended the wait because it can be read.
  static func pause(until deadline: ContinuousClock.Instant, or wakeUp: Int32?) -> Bool {
    var descriptor = pollfd(fd: wakeUp ?? -1, events: Int16(POLLIN), revents: 0)
    while true {
      let count = poll(&descriptor, 1, milliseconds(until: deadline))
      if count >= 0 { return count > 0 }
      guard errno == EINTR else { return false }
    }
  }

  /// Returns the timeout for `poll`, rounded up; 0 after the deadline.
  private static func milliseconds(until deadline: ContinuousClock.Instant) -> Int32 {
    let left = deadline - ContinuousClock.now
    guard left > .zero else { return 0 }
    let parts = left.components
    let (seconds, overflow) = parts.seconds.multipliedReportingOverflow(by: 1000)
    guard !overflow else { return .max }
    return Int32(clamping: seconds + parts.attoseconds / 1_000_000_000_000_000 + 1)
  }
}
