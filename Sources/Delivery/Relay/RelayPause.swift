/// The pauses after a relay was unavailable: one second, doubling to a minute.
package struct RelayPause: Hashable, Sendable {
  /// The longest pause, before jitter.
  package static let maximum = Duration.seconds(60)

  private var ceiling = Duration.seconds(1)

  /// Creates the pauses of a relay that is available.
  package init() {}

  /// Returns the next pause, and doubles the one after it.
  ///
  /// - Parameter jitter: 0 to 1; the pause is between half the time and the whole time, so that
  ///   several services do not come back at the same moment.
  package mutating func next(jitter: Double) -> Duration {
    defer { ceiling = min(ceiling * 2, Self.maximum) }
    return ceiling * (0.5 + 0.5 * min(max(jitter, 0), 1))
  }

  /// Starts with the shortest pause again, after the relay was available.
  package mutating func reset() {
    self = RelayPause()
  }
}
