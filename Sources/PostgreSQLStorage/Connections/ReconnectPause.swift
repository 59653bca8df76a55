/// The pauses between attempts to connect: up to 50 ms, doubling to two seconds.
struct ReconnectPause: Hashable, Sendable {
  /// The longest pause.
  static let maximum = Duration.seconds(2)

  private var ceiling = Duration.milliseconds(50)

  /// Returns the next pause, and doubles the limit of the one after it.
  ///
  /// - Parameter jitter: 0 to 1; the pause is that part of its limit, so that replicas do not come
  ///   back at the same moment.
  mutating func next(jitter: Double) -> Duration {
    defer { ceiling = min(ceiling * 2, Self.maximum) }
    return ceiling * min(max(jitter, 0), 1)
  }

  /// Starts with the shortest pause again, after the connection was ready.
  mutating func reset() {
    self = ReconnectPause()
  }
}
