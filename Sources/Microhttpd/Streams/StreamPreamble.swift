/// What every stream begins with, before any event.
enum StreamPreamble {
  /// `retry` spreads the clients that come back after a restart; no blank line, since some clients
  /// take one for an event.
  static var bytes: [UInt8] {
    Array("retry: \(Int.random(in: 2000...5000))\n: ok\n".utf8)
  }
}
