/// The promises of every outbox; each promise is checked on an empty outbox of its own.
///
/// ```swift
/// @Test(arguments: OutboxConformance.promises)
/// func `the SQLite store`(_ promise: OutboxConformance.Promise) async throws {
///   try await promise.check(.sqlite(store))
/// }
/// ```
package enum OutboxConformance {
  /// A promise.
  package typealias Promise = ConformancePromise<OutboxUnderTest>

  /// All promises.
  package static var promises: [Promise] {
    claiming + granting + settling + retrying + counting
  }
}
