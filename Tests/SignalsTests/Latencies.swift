/// Durations, counted in classes that are a sixteenth wide: any number of them in the same memory.
struct Latencies: Sendable {
  private var counts = [Int](repeating: 0, count: 960)
  private var count = 0
  private var longest = 0

  mutating func add(_ duration: Duration) {
    let nanoseconds = max(0, Int(duration / .nanoseconds(1)))
    counts[Self.index(of: nanoseconds)] += 1
    count += 1
    longest = max(longest, nanoseconds)
  }

  mutating func add(_ others: Latencies) {
    for index in counts.indices { counts[index] += others.counts[index] }
    count += others.count
    longest = max(longest, others.longest)
  }

  /// The longest duration, exactly.
  var maximum: Duration { .nanoseconds(longest) }

  /// Returns the duration that a share of all durations does not exceed, at most a sixteenth too long.
  ///
  /// - Parameter share: From 0 to 1.
  /// - Returns: The upper bound of the class in which the share is reached.
  func percentile(_ share: Double) -> Duration {
    var left = Int((share * Double(count)).rounded(.up))
    for index in counts.indices {
      left -= counts[index]
      if left <= 0 { return .nanoseconds(min(Self.upperBound(of: index), longest)) }
    }
    return maximum
  }

  /// A line for people, in microseconds.
  var summary: String {
    let figures = [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)].map { name, share in
      "\(name) \(Self.microseconds(percentile(share)))"
    }
    return "\(count) times, \(figures.joined(separator: ", ")), max \(Self.microseconds(maximum))"
  }

  private static func microseconds(_ duration: Duration) -> String {
    let tenths = Int((duration / .nanoseconds(100)).rounded())
    return "\(tenths / 10).\(tenths % 10) µs"
  }

  /// The class of a duration: the position of its highest bit, and the four bits below.
  private static func index(of nanoseconds: Int) -> Int {
    if nanoseconds < 16 { return nanoseconds }
    let highestBit = Int.bitWidth - 1 - nanoseconds.leadingZeroBitCount
    return (highestBit - 3) * 16 + (nanoseconds >> (highestBit - 4)) & 15
  }

  private static func upperBound(of index: Int) -> Int {
    if index < 16 { return index }
    return ((16 + index % 16 + 1) << (index / 16 - 1)) - 1
  }
}
