internal import Testing

/// The promises of every outbox; each promise is checked on an empty outbox of its own.
///
/// ```swift
/// @Test(arguments: OutboxConformance.promises)
/// func `an outbox in memory`(_ promise: OutboxConformance.Promise) async throws {
///   try await promise.check(.inMemory())
/// }
/// ```
package enum OutboxConformance {
  /// A promise that describes itself.
  package struct Promise: Sendable, CustomTestStringConvertible {
    /// The promise as a sentence.
    package let testDescription: String
    /// Checks the promise on an empty outbox.
    package let check: @Sendable (OutboxUnderTest) async throws -> Void

    init(_ words: String, _ check: @escaping @Sendable (OutboxUnderTest) async throws -> Void) {
      testDescription = words
      self.check = check
    }
  }

  /// All promises.
  package static var promises: [Promise] { claiming + granting + settling + counting }
}
