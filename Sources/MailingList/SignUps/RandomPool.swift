internal import Glibc
internal import Signals

/// A pool of the system's random numbers, fetched in batches.
///
/// One system call per number would cost as much as validating an address, and an id needs two.
package final class RandomPool: Sendable {
  /// The number of numbers that one call fetches; `getentropy` returns at most 256 bytes.
  private static let count = 32

  private let numbers = Lock<[UInt64]>([])

  package init() {}

  /// Returns the next number; each number is returned once.
  package func next() -> UInt64 {
    numbers.withLock { numbers in
      if numbers.isEmpty { numbers = Self.fetch() }
      return numbers.popLast() ?? .random(in: 0 ... .max)
    }
  }

  /// Fetches a batch of numbers; the corresponding C function is `getentropy`.
  private static func fetch() -> [UInt64] {
    [UInt64](unsafeUninitializedCapacity: count) { buffer, initializedCount in
      let size = count * MemoryLayout<UInt64>.size
      // On failure the batch is empty, and the caller generates a single number instead.
      initializedCount = getentropy(buffer.baseAddress, size) == 0 ? count : 0
    }
  }
}

/// A random number generator that draws from a shared pool.
package struct PooledRandomNumberGenerator: RandomNumberGenerator {
  private let pool: RandomPool

  package init(pool: RandomPool) {
    self.pool = pool
  }

  package func next() -> UInt64 { pool.next() }
}
