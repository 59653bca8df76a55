/// Leaky buckets by number, in a table that cannot grow and from which nobody can push a full one.
///
/// Each request fills a bucket by one part, and it runs empty over the time of the rate. What is kept
/// is when it will be empty (the "theoretical arrival time" of the generic cell rate algorithm, ITU-T
/// I.371), so a bucket costs two numbers.
///
/// The table is made of sets of eight places. The process's secret hash decides which set a bucket
/// belongs to, so nobody outside can choose it. Where a set has no free place, the bucket gives way
/// that is least full, but never one that is limited: it would begin again with a new burst. Where
/// all eight are limited, a newcomer is not remembered. So to push a limited client out is impossible,
/// and to escape the limit takes as many limited clients as the table has places.
struct LeakyBucketTable {
  private struct Bucket {
    var key: UInt64 = 0
    /// When it is empty, in ticks.
    ///
    /// A millisecond has as many ticks as the rate has requests. So all arithmetic is exact: a request fills it by the milliseconds of the rate.
    var emptyAt = Int64.min
  }

  /// A bucket at a time, as far as it was looked for.
  struct Lookup {
    /// In how many milliseconds the next request fits; 0 when it does now.
    let wait: Int64
    fileprivate let key: UInt64
    /// Where the bucket is, if it is in the table.
    fileprivate let index: Int?
    /// When it will be empty once the request is counted.
    fileprivate let emptyAt: Int64
    fileprivate let now: Int64
  }

  private static let setSize = 8
  private static let smallestCount = 64

  /// Requests in the time of the rate; ticks in a millisecond.
  private let count: Int64
  /// The time of the rate; by how many ticks a request fills its bucket.
  private let milliseconds: Int64
  private let maximumCount: Int
  private var buckets: [Bucket]

  /// Makes an empty table.
  ///
  /// - Parameters:
  ///   - count: How many requests are accepted in a time, up to 160,000.
  ///   - milliseconds: The time.
  ///   - maximumCount: How many buckets there are at most; rounded down to a power of two, 8 or more.
  init(count: Int64, milliseconds: Int64, maximumCount: Int) {
    self.count = max(count, 1)
    self.milliseconds = max(milliseconds, 1)
    var bucketCount = Self.setSize
    while bucketCount * 2 <= maximumCount { bucketCount *= 2 }
    self.maximumCount = bucketCount
    buckets = Array(repeating: Bucket(), count: min(bucketCount, Self.smallestCount))
  }

  /// How many ticks a bucket holds.
  private var capacity: Int64 { count * milliseconds }

  /// How many buckets are remembered: the others are empty.
  ///
  /// - Parameter now: The time in milliseconds since 1970.
  /// - Returns: Their number.
  func rememberedCount(at now: Int64) -> Int {
    buckets.count { level(of: $0, at: ticks(now)) > 0 }
  }

  /// Looks for a bucket and whether a request fits into it; changes nothing.
  ///
  /// - Parameters:
  ///   - key: The bucket's number.
  ///   - now: The time in milliseconds since 1970; any number.
  /// - Returns: What there is, to be given to ``fill(_:)`` before the table changes.
  func lookUp(_ key: UInt64, at now: Int64) -> Lookup {
    let now = ticks(now)
    let index = set(of: key).first { buckets[$0].key == key && buckets[$0].emptyAt > .min }
    let level = index.map { self.level(of: buckets[$0], at: now) } ?? 0
    let excess = level + milliseconds - capacity
    return Lookup(
      wait: excess > 0 ? (excess - 1) / count + 1 : 0,
      key: key,
      index: index,
      emptyAt: now + level + milliseconds,
      now: now
    )
  }

  /// Counts the request that was looked at.
  ///
  /// - Parameter lookup: Of the table as it is now.
  mutating func fill(_ lookup: Lookup) {
    if let index = lookup.index {
      buckets[index].emptyAt = lookup.emptyAt
      return
    }
    while true {
      let index = set(of: lookup.key).min { left, right in
        level(of: buckets[left], at: lookup.now) < level(of: buckets[right], at: lookup.now)
      }
      guard let index else { return }
      let rest = level(of: buckets[index], at: lookup.now)
      if rest > 0, buckets.count < maximumCount {
        grow(at: lookup.now)
        continue
      }
      if rest <= capacity - milliseconds {
        buckets[index] = Bucket(key: lookup.key, emptyAt: lookup.emptyAt)
      }
      return
    }
  }

  /// Doubles the table; who uses the service little has a small one.
  private mutating func grow(at now: Int64) {
    let old = buckets
    buckets = Array(repeating: Bucket(), count: old.count * 2)
    for bucket in old where level(of: bucket, at: now) > 0 {
      // The buckets of one set are all that comes to two new ones, so there is a place.
      if let index = set(of: bucket.key).first(where: { level(of: buckets[$0], at: now) == 0 }) {
        buckets[index] = bucket
      }
    }
  }

  /// The places that a bucket may have.
  private func set(of key: UInt64) -> Range<Int> {
    var hasher = Hasher()
    hasher.combine(key)
    let setCount = buckets.count / Self.setSize
    let start = (hasher.finalize() & (setCount - 1)) * Self.setSize
    return start..<(start + Self.setSize)
  }

  /// How full a bucket is.
  private func level(of bucket: Bucket, at now: Int64) -> Int64 {
    guard bucket.emptyAt > now else { return 0 }
    let level = bucket.emptyAt - now
    // Threads read the clock before they come here in another order, and it is corrected now and
    // then: for a moment a bucket may be more than full. Further away it can only be when the clock
    // was set back, and then nobody is locked out.
    return level > 2 * capacity ? 0 : min(level, capacity)
  }

  /// A time in ticks, which stand still at the ends of what can be counted: with the highest rate 450
  /// years from 1970, with the usual ones 100,000.
  private func ticks(_ milliseconds: Int64) -> Int64 {
    let limit = Int64.max / 4 / count
    return min(max(milliseconds, -limit), limit) * count
  }
}
