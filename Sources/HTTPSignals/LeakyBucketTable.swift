/// A table of rates, one for each key: leaky buckets in bounded memory, of which no full one is
/// evicted.
///
/// Each request fills a bucket by one part, and the bucket drains over the time of the rate. A
/// bucket stores the time at which it will be empty (the "theoretical arrival time" of the generic
/// cell rate algorithm, ITU-T I.371), so a bucket takes two numbers.
///
/// The table consists of sets of eight entries. The process's secret hash of a key stands for it
/// and chooses the set, so a client cannot; that two keys have the same hash is improbable. If a
/// set has no free entry, the new bucket replaces the least full one, but never a limited one,
/// because its client would get a new burst. If all eight are limited, the new bucket is not
/// remembered. So no client can evict a limited client, and escaping the limit requires as many
/// limited clients as the table has entries.
package struct LeakyBucketTable: Sendable {
  private struct Bucket {
    var hash = 0
    /// The time at which the bucket is empty, in ticks.
    ///
    /// A millisecond has as many ticks as the rate has requests, so all arithmetic is exact: a
    /// request fills the bucket by the milliseconds of the rate.
    var emptyAt = Int64.min
  }

  /// The state of a bucket at the time of a request.
  package struct Lookup: Sendable {
    /// The number of milliseconds until the next request fits; 0 if it fits now.
    package let wait: Int64
    package let room: Int64
    fileprivate let hash: Int
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
  ///   - maximumCount: The maximum number of buckets of 16 bytes, rounded down to a power of two, at
  ///     least 8.
  package init(count: Int, per time: Duration, maximumCount: Int = 65_536) {
    self.count = max(Int64(count), 1)
    milliseconds = max(Int64(time / .milliseconds(1)), 1)
    var bucketCount = Self.setSize
    while bucketCount * 2 <= maximumCount { bucketCount *= 2 }
    self.maximumCount = bucketCount
    buckets = Array(repeating: Bucket(), count: min(bucketCount, Self.smallestCount))
  }

  private var capacity: Int64 { count * milliseconds }

  package func rememberedCount(at now: Int64) -> Int {
    buckets.count { level(of: $0, at: ticks(now)) > 0 }
  }

  /// Counts a request if it fits into its bucket; returns the state of the bucket before.
  package mutating func take(_ key: some Hashable, at now: Int64) -> Lookup {
    let lookup = lookUp(key, at: now)
    if lookup.wait == 0 { fill(lookup) }
    return lookup
  }

  /// Takes back a request that was counted.
  package mutating func cancel(_ key: some Hashable) {
    if let index = index(of: key.hashValue) { buckets[index].emptyAt -= milliseconds }
  }

  /// Looks up a bucket, and checks whether a request fits into it; changes nothing.
  ///
  /// The time, in milliseconds since any moment, may be any number. Pass the result to
  /// ``fill(_:_:)`` before the table changes.
  package func lookUp(_ key: some Hashable, at now: Int64) -> Lookup {
    let hash = key.hashValue
    let now = ticks(now)
    let index = index(of: hash)
    let level = index.map { self.level(of: buckets[$0], at: now) } ?? 0
    let excess = level + milliseconds - capacity
    return Lookup(
      wait: excess > 0 ? (excess - 1) / count + 1 : 0, room: (capacity - level) / milliseconds,
      hash: hash, index: index, emptyAt: now + level, now: now)
  }

  /// Counts as many requests, which must fit.
  package mutating func fill(_ lookup: Lookup, _ requestCount: Int64 = 1) {
    let emptyAt = lookup.emptyAt + requestCount * milliseconds
    if let index = lookup.index {
      buckets[index].emptyAt = emptyAt
      return
    }
    while true {
      let index = set(of: lookup.hash).min { left, right in
        level(of: buckets[left], at: lookup.now) < level(of: buckets[right], at: lookup.now)
      }
      guard let index else { return }
      let rest = level(of: buckets[index], at: lookup.now)
      if rest > 0, buckets.count < maximumCount {
        grow(at: lookup.now)
        continue
      }
      if rest <= capacity - milliseconds {
        buckets[index] = Bucket(hash: lookup.hash, emptyAt: emptyAt)
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
      if let index = set(of: bucket.hash).first(where: { level(of: buckets[$0], at: now) == 0 }) {
        buckets[index] = bucket
      }
    }
  }

  private func index(of hash: Int) -> Int? {
    set(of: hash).first { buckets[$0].hash == hash && buckets[$0].emptyAt > .min }
  }

  /// Returns the indices at which a bucket may be.
  private func set(of hash: Int) -> Range<Int> {
    let setCount = buckets.count / Self.setSize
    let start = (hash & (setCount - 1)) * Self.setSize
    return start..<(start + Self.setSize)
  }

  private func level(of bucket: Bucket, at now: Int64) -> Int64 {
    guard bucket.emptyAt > now else { return 0 }
    let level = bucket.emptyAt - now
    // Threads may get here in a different order from that in which they read the clock, and the
    // clock is sometimes corrected, so a bucket may briefly be more than full. Only a clock that
    // was set back exceeds that by far; then the bucket counts as empty, so no client is locked
    // out.
    return level > 2 * capacity ? 0 : min(level, capacity)
  }

  /// Converts a time to ticks, clamped to the countable range: 450 years with the highest
  /// rate, 100,000 years with usual rates.
  private func ticks(_ milliseconds: Int64) -> Int64 {
    let limit = Int64.max / 4 / count
    return min(max(milliseconds, -limit), limit) * count
  }
}

/// The rate at which requests of one kind, or connections, are accepted from one client.
package enum RequestRate: Hashable, Sendable {
  case unlimited
  /// A burst, then an even rate: 30 in 10 minutes allows 30 at once, then one every 20 seconds.
  ///
  /// The count is from 1 to 10,000; the time is at least a second, in whole milliseconds.
  case limited(count: Int, per: Duration)
}
