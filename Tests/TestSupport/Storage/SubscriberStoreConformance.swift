internal import Testing

/// What every store promises; each promise gets an empty store of its own.
///
/// ```swift
/// @Test(arguments: SubscriberStoreConformance.promises)
/// func `a store in memory`(_ promise: SubscriberStoreConformance.Promise) async throws {
///   try await promise.check(.inMemory())
/// }
/// ```
package enum SubscriberStoreConformance {
  /// One promise; its description says it.
  package struct Promise: Sendable, CustomTestStringConvertible {
    /// The promise in words.
    package let testDescription: String
    /// Checks it on an empty store.
    package let check: @Sendable (StoreUnderTest) async throws -> Void

    init(_ words: String, _ check: @escaping @Sendable (StoreUnderTest) async throws -> Void) {
      testDescription = words
      self.check = check
    }
  }

  /// All promises.
  package static var promises: [Promise] { storing + states + reading + closing }
}
