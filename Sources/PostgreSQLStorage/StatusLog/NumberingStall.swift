/// How long rows have waited for their positions although this follower has tried to number them.
struct NumberingStall {
  /// The time after which the operator should know.
  static let limit: Duration = .seconds(10)

  private var since: ContinuousClock.Instant?
  private var isReported = false

  /// Records that rows could not be numbered.
  ///
  /// - Returns: Whether this is to be reported, which it is once.
  mutating func hasFailed(at now: ContinuousClock.Instant) -> Bool {
    let begin = since ?? now
    since = begin
    guard !isReported, now - begin >= Self.limit else { return false }
    isReported = true
    return true
  }

  /// Whether rows have waited for so long that the horizon may pass them before they are numbered.
  func delaysRows(at now: ContinuousClock.Instant) -> Bool {
    since.map { now - $0 >= PendingHorizon.age / 2 } ?? false
  }

  /// Records that it is not known whether rows wait, because there is no session.
  mutating func pause() {
    since = nil
  }

  /// Records that rows were numbered.
  mutating func reset() -> Bool {
    defer { self = NumberingStall() }
    return isReported
  }
}
