/// The time of the follower's next round, and whether that round numbers rows.
struct RoundSchedule {
  /// The minimum time between the beginnings of two rounds.
  static let gap: Duration = .milliseconds(20)
  /// The maximum time between two rounds that number rows.
  static let idle: Duration = .seconds(1)
  /// The time between two rounds if notifications do not arrive.
  static let polling: Duration = .milliseconds(50)

  /// Whether notifications are known to arrive.
  var isListening = false
  private var wantsNumbering = true
  private var wantsReading = true
  private var begun: ContinuousClock.Instant?
  private var numbered: ContinuousClock.Instant?

  /// Requests a round that numbers rows, after a commit or because one round was not enough.
  mutating func wantNumbering() {
    wantsNumbering = true
  }

  /// Requests a round that reads, for a question or for the rest of the log.
  mutating func wantReading() {
    wantsReading = true
  }

  /// Records that another service has numbered the pending rows.
  mutating func wasNotified(at now: ContinuousClock.Instant) {
    wantsReading = true
    numbered = now
  }

  /// The time of the next round; `nil` for the first one, which is due immediately.
  var due: ContinuousClock.Instant? {
    guard let begun else { return nil }
    if wantsNumbering || wantsReading { return begun + Self.gap }
    let next = (numbered ?? begun) + Self.idle
    return isListening ? max(next, begun + Self.gap) : min(next, begun + Self.polling)
  }

  /// Begins a round; returns whether it numbers rows.
  mutating func begin(at now: ContinuousClock.Instant) -> Bool {
    let isOverdue = numbered.map { now - $0 >= Self.idle } ?? true
    let numbers = wantsNumbering || !wantsReading || isOverdue
    wantsNumbering = false
    wantsReading = false
    begun = now
    if numbers { numbered = now }
    return numbers
  }
}
