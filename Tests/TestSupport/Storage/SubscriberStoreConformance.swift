/// The promises of every store; each promise is checked on an empty store of its own.
///
/// ```swift
/// @Test(arguments: SubscriberStoreConformance.promises)
/// func `the SQLite store`(_ promise: SubscriberStoreConformance.Promise) async throws {
///   try await promise.check(.sqlite(store))
/// }
/// ```
package enum SubscriberStoreConformance {
  /// A promise.
  package typealias Promise = ConformancePromise<StoreUnderTest>

  /// The promises of every store with double opt-in.
  package static var doublePromises: [Promise] {
    signingUp + confirming + codes + leaving + budgets
  }

  /// The promises of every store with single opt-in.
  package static var promises: [Promise] { storing + states + reading + closing }
}
