import TestSupport
import Testing

@Suite struct OutboxConformanceTests {
  @Test(arguments: OutboxConformance.promises)
  func `an outbox in memory keeps every promise`(
    _ promise: OutboxConformance.Promise
  ) async throws {
    try await promise.check(.inMemory())
  }
}
