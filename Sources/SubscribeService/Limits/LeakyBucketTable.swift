/// A table of leaky buckets of bounded size, which never evicts a full bucket.
///
/// Each request fills a bucket by one part, and the bucket drains over the time of the rate. A
/// bucket stores the time at which it will be empty (the "theoretical arrival time" of the generic
/// cell rate algorithm, ITU-T I.371), so a bucket takes two numbers.
///
/// The table consists of sets of eight entries. The process's secret hash assigns a bucket to a
/// set, so a client cannot choose it. If a set has no free entry, the new bucket replaces the least
/// full one, but never a limited one, because its client would get a new burst. If all eight are
/// limited, the new bucket is not remembered. So no client can evict a limited client, and escaping
/// the limit requires as many limited clients as the table has entries.
struct LeakyBucketTable {
  private struct Bucket {
    var key: UInt64 = 0
    /// The time at which the bucket is empty, in ticks.
    ///
    /// A millisecond has as many ticks as the rate has requests, so all arithmetic is exact: a
    /// request fills the bucket by the milliseconds of the rate.
    var emptyAt = Int64.min
  }

  /// The state of a bucket at the time of a request.
  struct Lookup {
    /// The number of milliseconds until the next request fits; 0 if it fits now.
    let wait: Int64
    /// The number of requests that fit now.
    let room: Int64
    fileprivate let key: UInt64
    /// The index of the bucket; `nil` if it is not in the table.
    fileprivate let index: Int?
    /// The time at which the bucket is empty, in ticks.
    fileprivate let emptyAt: Int64
    fileprivate let now: Int64
  }

  private static let setSize = 8
  private static let smallestCount = 64

  /// The number of requests in the time of the rate, and of ticks in a millisecond.
  private let count: Int64
  /// The time of the rate in milliseconds, and the number of ticks by which a request fills its
  /// bucket.
  private let milliseconds: Int64
  private let maximumCount: Int
  private var buckets: [Bucket]

  /// Creates an empty table.
  ///
  /// - Parameters:
  ///   - count: The number of requests that are accepted in the time of the rate, up to 160,000.
  ///   - maximumCount: The maximum number of buckets, rounded down to a power of two, at least 8.
  init(count: Int64, milliseconds: Int64, maximumCount: Int) {
    self.count = max(count, 1)
    self.milliseconds = max(milliseconds, 1)
    var bucketCount = Self.setSize
    while bucketCount * 2 <= maximumCount { bucketCount *= 2 }
    self.maximumCount = bucketCount
    buckets = Array(repeating: Bucket(), count: min(bucketCount, Self.smallestCount))
  }

  /// The capacity of a bucket, in ticks.
  private var capacity: Int64 { count * milliseconds }

  /// Returns the number of buckets that are not empty at a time in milliseconds since 1970.
  func rememberedCount(at now: Int64) -> Int {
    buckets.count { level(of: $0, at: ticks(now)) > 0 }
  }

  /// Looks up a bucket, and checks whether a request fits into it; changes nothing.
  ///
  /// The time, in milliseconds since 1970, may be any number. Pass the result to ``fill(_:)``
  /// before the table changes.
  func lookUp(_ key: UInt64, at now: Int64) -> Lookup {
    let now = ticks(now)
    let index = set(of: key).first { buckets[$0].key == key && buckets[$0].emptyAt > .min }
    let level = index.map { self.level(of: buckets[$0], at: now) } ?? 0
    let excess = level + milliseconds - capacity
    return Lookup(
      wait: excess > 0 ? (excess - 1) / count + 1 : 0,
      room: (capacity - level) / milliseconds,
      key: key,
      index: index,
      emptyAt: now + level,
      now: now
    )
  }

  mutating func fill(_ lookup: Lookup, _ requestCount: Int64 = 1) {
    let emptyAt = lookup.emptyAt + requestCount * milliseconds
    if let index = lookup.index {
      buckets[index].emptyAt = emptyAt
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
        buckets[index] = Bucket(key: lookup.key, emptyAt: emptyAt)
      }
      return
    }
  }

  /// Doubles the table, which remains small in a service with few clients.
  private mutating func grow(at now: Int64) {
    let old = buckets
    buckets = Array(repeating: Bucket(), count: old.count * 2)
    for bucket in old where level(of: bucket, at: now) > 0 {
      // The two new sets contain the buckets of only one old set, so there is a free entry.
      if let index = set(of: bucket.key).first(where: { level(of: buckets[$0], at: now) == 0 }) {
        buckets[index] = bucket
      }
    }
  }

  /// Returns the indices at which a bucket may be.
  private func set(of key: UInt64) -> Range<Int> {
    var hasher = Hasher()
    hasher.combine(key)
    let setCount = buckets.count / Self.setSize
    let start = (hasher.finalize() & (setCount - 1)) * Self.setSize
    return start..<(start + Self.setSize)
  }

  /// Returns the level of a bucket, in ticks.
  private func level(of bucket: Bucket, at now: Int64) -> Int64 {
    guard bucket.emptyAt > now else { return 0 }
    let level = bucket.emptyAt - now
    // Threads may get here in a different order from that in which they read the clock, and the
    // clock is sometimes corrected, so a bucket may briefly be more than full. Only a clock that
    // was set back exceeds that by far; then the bucket counts as empty, so no client is locked
    // out.
    return level > 2 * capacity ? 0 : min(level, capacity)
  }

  /// Converts a time to ticks, clamped to the countable range: 450 years from 1970 with the highest
  /// rate, 100,000 years with usual rates.
  private func ticks(_ milliseconds: Int64) -> Int64 {
    let limit = Int64.max / 4 / count
    return min(max(milliseconds, -limit), limit) * count
  }
}
