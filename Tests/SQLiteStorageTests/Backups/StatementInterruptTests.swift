import MailingList
import TestSupport
import Testing

@testable import SQLiteStorage

@Suite struct StatementInterruptTests {
  @Test func `another thread ends a read, also between two statements, and all later ones`()
    async throws
  {
    let database = try SQLiteConnection(path: ":memory:")
    let interrupt = StatementInterrupt()
    let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
    let read = Task(executorPreference: ThreadPerJob()) {
      try interrupt.perform(on: database) {
        continuation.yield()
        while true { _ = try database.number("SELECT 1") }
      }
    }
    _ = await begun.first { _ in true }
    interrupt.request()
    let error = await #expect(throws: SQLiteError.self) { try await read.value }
    #expect(error.map { StoreError($0) } == .interrupted)
    #expect(throws: StoreError.interrupted) {
      try interrupt.perform(on: database) { _ = try database.number("SELECT 1") }
    }
    #expect(try database.number("SELECT 1") == 1)
  }
}
