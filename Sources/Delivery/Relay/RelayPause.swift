/// The pauses while a relay is unavailable: one second, doubled each time up to a minute.
package struct RelayPause: Hashable, Sendable {
  /// The longest pause, before jitter.
  package static let maximum = Duration.seconds(60)

  private var ceiling = Duration.seconds(1)

  package init() {}

  /// Returns the next pause, and doubles the one after it.
  ///
  /// - Parameter jitter: 0 to 1, for a pause between half and all of the time, so that several
  ///   services do not reconnect at the same moment.
  package mutating func next(jitter: Double) -> Duration {
    defer { ceiling = min(ceiling * 2, Self.maximum) }
    return ceiling * (0.5 + 0.5 * min(max(jitter, 0), 1))
  }

  /// Resets to the shortest pause, after the relay was available.
  package mutating func reset() {
    self = RelayPause()
  }
}
