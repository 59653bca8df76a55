/// What an event loop does with sockets of its own, long work in small parts.
protocol LoopBackground: AnyObject {
  /// A descriptor that is readable when there is news.
  var descriptor: Int32 { get }

  /// Takes the news.
  func takeNews()

  /// Does a small part of the work that is left; what others want gets its turn after it.
  ///
  /// - Returns: Whether more is left.
  func runPart() -> Bool
}
