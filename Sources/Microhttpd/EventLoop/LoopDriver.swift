/// A driver of sockets that belong to an event loop; it divides long work into small parts.
protocol LoopDriver: AnyObject {
  /// An epoll descriptor, which is readable when a socket is ready.
  var descriptor: Int32 { get }

  /// Handles the sockets that are ready.
  func takeReadiness()

  /// Does a small part of the remaining work; scheduled work and timers run before the next part.
  ///
  /// - Returns: Whether more work remains.
  func runPart() -> Bool
}
