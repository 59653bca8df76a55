/// The lines with which every stream begins, before any event.
enum StreamPreamble {
  /// A random `retry`, which spreads the reconnects after a restart, and a comment.
  ///
  /// There is no blank line, because some clients treat it as an event.
  static var bytes: [UInt8] {
    Array("retry: \(Int.random(in: 2000...5000))\n: ok\n".utf8)
  }
}
