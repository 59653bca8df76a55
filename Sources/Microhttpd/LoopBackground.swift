/// What an event loop does beside libmicrohttpd: sockets of its own, and long work in small parts.
protocol LoopBackground: AnyObject {
  /// A descriptor that is readable when there is news.
  var descriptor: Int32 { get }

  /// Takes the news.
  func takeNews()

  /// Does a small part of the work that is left; requests get their turn after it.
  ///
  /// - Returns: Whether more is left.
  func runPart() -> Bool
}
