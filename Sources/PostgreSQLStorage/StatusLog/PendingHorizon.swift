/// The number up to which all pending rows are certainly gone, so that they are not read.
///
/// Deleted rows remain in the table as long as another session, such as a backup, has a snapshot.
struct PendingHorizon {
  /// The time after which a row is certainly committed and numbered.
  static let age: Duration = .seconds(10)
  /// The interval at which all rows are read regardless of the horizon.
  static let fullInterval: Duration = .seconds(60)
  /// The interval at which the highest number is read.
  static let sampleInterval: Duration = .seconds(1)

  private var samples: [(time: ContinuousClock.Instant, number: Int64)] = []
  private var lastFull: ContinuousClock.Instant?

  /// Returns whether the highest number must be read.
  func needsSample(at now: ContinuousClock.Instant) -> Bool {
    samples.last.map { now - $0.time >= Self.sampleInterval } ?? true
  }

  /// Records the highest number.
  mutating func add(_ number: Int64, at now: ContinuousClock.Instant) {
    samples.append((now, number))
    // One sample of that age is sufficient.
    while samples.count > 1, now - samples[1].time >= Self.age { samples.removeFirst() }
  }

  /// Returns a number that all rows to be numbered exceed, for an imminent call; 0 for all rows.
  mutating func since(at now: ContinuousClock.Instant) -> Int64 {
    if let lastFull, now - lastFull < Self.fullInterval {
      guard let first = samples.first, now - first.time >= Self.age else { return 0 }
      return first.number
    }
    lastFull = now
    return 0
  }

  /// Removes all samples, because the numbers may have started again.
  mutating func reset() {
    self = PendingHorizon()
  }
}
