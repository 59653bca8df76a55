/// When the follower's next round is due, and whether it numbers.
struct RoundSchedule {
  /// The shortest time between the beginnings of two rounds.
  static let gap: Duration = .milliseconds(20)
  /// The longest time between two rounds that number.
  static let idle: Duration = .seconds(1)
  /// The time between two rounds where notifications are not heard.
  static let polling: Duration = .milliseconds(50)

  /// Whether notifications are known to be heard.
  var isListening = false
  private var wantsNumbering = true
  private var wantsReading = true
  private var begun: ContinuousClock.Instant?
  private var numbered: ContinuousClock.Instant?

  /// Wants a round that numbers: something was committed, or another round is needed.
  mutating func wantNumbering() {
    wantsNumbering = true
  }

  /// Wants a round that reads: something was asked, or the rest of the log did not fit.
  mutating func wantReading() {
    wantsReading = true
  }

  /// Records that another service has numbered the pending rows.
  mutating func wasNotified(at now: ContinuousClock.Instant) {
    wantsReading = true
    numbered = now
  }

  /// When the next round is due.
  var due: ContinuousClock.Instant? {
    guard let begun else { return nil }
    if wantsNumbering || wantsReading { return begun + Self.gap }
    let next = (numbered ?? begun) + Self.idle
    return isListening ? max(next, begun + Self.gap) : min(next, begun + Self.polling)
  }

  /// Begins a round.
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
