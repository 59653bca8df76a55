internal import Glibc
internal import Locks

/// The system's random numbers, fetched many at a time: a call for each costs as much as validating an
/// address, and an id needs two.
final class RandomPool: Sendable {
  /// How many numbers one call fetches; 256 bytes are the most that `getentropy` gives.
  private static let count = 32

  private let numbers = Lock<[UInt64]>([])

  /// The next number; each is handed out once.
  func next() -> UInt64 {
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
struct PooledRandomNumberGenerator: RandomNumberGenerator {
  let pool: RandomPool

  func next() -> UInt64 { pool.next() }
}
