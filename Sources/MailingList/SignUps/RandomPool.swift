internal import Glibc
internal import Locks

/// The system's random numbers, fetched many at a time: a call for each costs as much as validating
/// an address, and an id needs two.
package final class RandomPool: Sendable {
  /// How many numbers one call fetches; 256 bytes are the most that `getentropy` gives.
  private static let count = 32

  private let numbers = Lock<[UInt64]>([])

  /// Makes a pool without numbers.
  package init() {}

  /// The next number; each is handed out once.
  package func next() -> UInt64 {
    numbers.withLock { numbers in
      if numbers.isEmpty { numbers = Self.fetch() }
      return numbers.popLast() ?? .random(in: 0 ... .max)
    }
  }

  /// The corresponding C function is `getentropy`.
  private static func fetch() -> [UInt64] {
    [UInt64](unsafeUninitializedCapacity: count) { buffer, initializedCount in
      let size = count * MemoryLayout<UInt64>.size
      // Rejected, it gives none; the caller asks for one by itself then.
      initializedCount = getentropy(buffer.baseAddress, size) == 0 ? count : 0
    }
  }
}

/// A generator over a pool that many share.
package struct PooledRandomNumberGenerator: RandomNumberGenerator {
  private let pool: RandomPool

  /// Makes a generator.
  ///
  /// - Parameter pool: Where its numbers come from.
  package init(pool: RandomPool) {
    self.pool = pool
  }

  /// The next number of the pool.
  package func next() -> UInt64 { pool.next() }
}
