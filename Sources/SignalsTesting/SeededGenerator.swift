/// A generator of the same random numbers each time, for tests of code that uses randomness.
///
/// ```swift
/// let delay = RetryDelay.exponential(
///   from: .seconds(1), limit: .seconds(60), using: SeededGenerator(seed: 1))
/// ```
///
/// The algorithm is SplitMix64; not for secrets.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Makes a generator.
  ///
  /// - Parameter seed: The seed, which determines the numbers.
  public init(seed: UInt64) {
    state = seed
  }

  /// Returns the next number.
  ///
  /// - Returns: Any 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
