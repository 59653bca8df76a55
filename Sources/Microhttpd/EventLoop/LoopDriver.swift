/// What an event loop does with sockets of its own, long work in small parts.
protocol LoopDriver: AnyObject {
  /// A descriptor that is readable when a socket is ready.
  var descriptor: Int32 { get }

  /// Deals with the sockets that are ready.
  func takeReadiness()

  /// Does a small part of the work that is left; what others want gets its turn after it.
  ///
  /// - Returns: Whether more is left.
  func runPart() -> Bool
}
