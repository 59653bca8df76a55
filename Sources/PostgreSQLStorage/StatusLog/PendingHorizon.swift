/// The number up to which pending rows are certainly gone, so that they need not be looked at.
///
/// Deleted rows stay in the table while another session keeps a snapshot open, such as a backup.
struct PendingHorizon {
  /// The time after which a row is certainly committed and numbered.
  static let age: Duration = .seconds(10)
  /// The interval at which all rows are read nevertheless.
  static let fullInterval: Duration = .seconds(60)
  /// The interval at which the highest number is read.
  static let sampleInterval: Duration = .seconds(1)

  private var samples: [(time: ContinuousClock.Instant, number: Int64)] = []
  private var lastFull: ContinuousClock.Instant?

  /// Returns whether the highest number has to be read.
  func needsSample(at now: ContinuousClock.Instant) -> Bool {
    samples.last.map { now - $0.time >= Self.sampleInterval } ?? true
  }

  /// Records the highest number.
  mutating func add(_ number: Int64, at now: ContinuousClock.Instant) {
    samples.append((now, number))
    // One sample of that age suffices.
    while samples.count > 1, now - samples[1].time >= Self.age { samples.removeFirst() }
  }

  /// Returns a number that every row to be numbered exceeds, for a call that is about to be made.
  ///
  /// - Returns: The number; 0 for all rows.
  mutating func since(at now: ContinuousClock.Instant) -> Int64 {
    if let lastFull, now - lastFull < Self.fullInterval {
      guard let first = samples.first, now - first.time >= Self.age else { return 0 }
      return first.number
    }
    lastFull = now
    return 0
  }

  /// Forgets everything, because numbers may have begun again.
  mutating func reset() {
    self = PendingHorizon()
  }
}
