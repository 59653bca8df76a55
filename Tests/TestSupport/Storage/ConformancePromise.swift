internal import Testing

/// A promise of every implementation of a protocol, which describes itself.
package struct ConformancePromise<Subject>: Sendable, CustomTestStringConvertible {
  /// The promise as a sentence.
  package let testDescription: String
  /// Checks the promise on a subject that contains nothing.
  package let check: @Sendable (Subject) async throws -> Void

  init(_ words: String, _ check: @escaping @Sendable (Subject) async throws -> Void) {
    testDescription = words
    self.check = check
  }
}
