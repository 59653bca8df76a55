/// The time for which rows have been waiting for their positions despite this follower's attempts.
struct NumberingStall {
  /// The time after which the operator is notified.
  static let limit: Duration = .seconds(10)

  private var since: ContinuousClock.Instant?
  private var isReported = false

  /// Records a failed attempt to number rows; returns whether to notify the operator, which is
  /// `true` once.
  mutating func hasFailed(at now: ContinuousClock.Instant) -> Bool {
    let begin = since ?? now
    since = begin
    guard !isReported, now - begin >= Self.limit else { return false }
    isReported = true
    return true
  }

  /// Returns whether rows have been waiting for so long that the horizon may exceed their numbers.
  func delaysRows(at now: ContinuousClock.Instant) -> Bool {
    since.map { now - $0 >= PendingHorizon.age / 2 } ?? false
  }

  /// Records that, without a session, nothing is known about waiting rows.
  mutating func pause() {
    since = nil
  }

  /// Records that rows were numbered; returns whether the operator had been notified.
  mutating func reset() -> Bool {
    defer { self = NumberingStall() }
    return isReported
  }
}
