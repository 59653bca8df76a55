/// A source of unpredictable random numbers for tests.
///
/// It has a state, and therefore an address, unlike `SystemRandomNumberGenerator`: for an `inout`
/// argument without a state the compiler passes an undefined address, which ThreadSanitizer reads.
package struct RandomNumbers: RandomNumberGenerator, Sendable {
  private var returnedCount = 0

  /// Makes a source.
  package init() {}

  /// Returns the next number.
  ///
  /// - Returns: Any 64 bits.
  package mutating func next() -> UInt64 {
    returnedCount += 1
    return .random(in: .min ... .max)
  }
}
